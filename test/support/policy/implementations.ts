import type { Implementation } from "../../../src/algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../../../src/algorithms/all.ts";
import { CALENDAR_WINDOW } from "../../../src/algorithms/calendar-definition.ts";
import { CONCURRENCY } from "../../../src/algorithms/concurrency.ts";
import { NOTICE } from "../../../src/algorithms/notice.ts";
import type { Algorithm } from "../../../src/policy/policy.ts";

/** Every algorithm by its name, also those that data cannot name. */
export const EVERY_IMPLEMENTATION: Record<Algorithm, Implementation> = {
  ...IMPLEMENTATIONS,
  "calendar-window": CALENDAR_WINDOW,
  notice: NOTICE,
  concurrency: CONCURRENCY,
};
