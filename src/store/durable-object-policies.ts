import type { Implementation } from "../algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../algorithms/all.ts";
import { CALENDAR_WINDOW } from "../algorithms/calendar-definition.ts";
import { CONCURRENCY } from "../algorithms/concurrency.ts";
import { COUNTER } from "../algorithms/drop-in-counter.ts";
import { THROTTLER } from "../algorithms/drop-in-throttler.ts";
import { NOTICE } from "../algorithms/notice.ts";
import type { CountedPolicy } from "../policy/compile.ts";

/** A policy as data for an object: a call cannot carry functions. */
export type PolicyData = Omit<CountedPolicy, "implementation">;

const ALGORITHMS: Readonly<Record<string, Implementation>> = {
  ...IMPLEMENTATIONS,
  concurrency: CONCURRENCY,
  "calendar-window": CALENDAR_WINDOW,
  notice: NOTICE,
  [COUNTER.name]: COUNTER,
  [THROTTLER.name]: THROTTLER,
};

export function toData({ key, algorithm, limit, parameters, role }: CountedPolicy): PolicyData {
  // Numbers as they are now: those of a calendar's window change.
  return { key, algorithm, limit, parameters: { ...parameters }, role };
}

export function withAlgorithm(data: PolicyData): CountedPolicy {
  return { ...data, implementation: ALGORITHMS[data.algorithm]! };
}
