import { IMPLEMENTATIONS } from "../../algorithms/all.ts";
import { CALENDAR_WINDOW } from "../../algorithms/calendar/definition.ts";
import { CONCURRENCY } from "../../algorithms/concurrency.ts";
import { NOTICE } from "../../algorithms/notice.ts";
import type { CountedPolicy } from "../../policy/compile.ts";

/** A policy as data for an object: a call cannot carry functions. */
export type PolicyData = Omit<CountedPolicy, "implementation">;

const ALGORITHMS = {
  ...IMPLEMENTATIONS,
  concurrency: CONCURRENCY,
  "calendar-window": CALENDAR_WINDOW,
  notice: NOTICE,
};

export function toData({ key, algorithm, limit, parameters, role }: CountedPolicy): PolicyData {
  // Numbers as they are now: those of a calendar's window change.
  return { key, algorithm, limit, parameters: { ...parameters }, role };
}

export function withAlgorithm(data: PolicyData): CountedPolicy {
  return { ...data, implementation: ALGORITHMS[data.algorithm] };
}
