import type { Policy } from "../../../src/policy/policy.ts";
import { compilePolicy } from "../compile-policy.ts";
import { type Admission, burstAboveRate, fullestWindow } from "../model/trailing-window.ts";

/**
 * By how many units admissions broke what this policy promises, as it was given; 0 or less if they did not. Times in
 * microseconds, never going down.
 */
export function excessOf(policy: Policy, admissions: readonly Admission[]): number {
  const { algorithm, limit, parameters } = compilePolicy(policy);
  const { intervalUs = 0, divisor = 0, windowUs = 0, lengthUs = 0, segments = 0 } = parameters;
  switch (algorithm) {
    case "token-bucket":
      return burstAboveRate(admissions, intervalUs, divisor) - limit;
    case "sliding-window-log":
      return fullestWindow(admissions, windowUs) - limit;
    case "segmented-window":
      return fullestWindow(admissions, lengthUs * segments) - limit;
    case "sliding-window-counter":
      return fullestWindow(admissions, windowUs) - (2 * limit - 1);
    case "fixed-window": {
      const used = new Map<number, number>();
      for (const { time, units } of admissions) {
        const window = Math.floor(time / windowUs);
        used.set(window, (used.get(window) ?? 0) + units);
      }
      return Math.max(0, ...used.values()) - limit;
    }
    case "calendar-window":
      throw new Error("windows of a calendar are no policies of these tests");
    case "concurrency":
      throw new Error("concurrency has no leases");
  }
}
