import { parseDuration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import type { Policy } from "../policy/policy.ts";
import type { Times } from "./implementation.ts";

const MIN_WINDOW = 1_000;
export const MAX_WINDOW = 366 * 86_400e6;

/** A duration of a policy in microseconds; else a fault, and a second to go on with. */
export function windowOf(duration: unknown, path: string, faults: Faults): number {
  const microseconds = parseDuration(duration);
  if (microseconds === undefined) {
    faults.add(
      path,
      duration,
      'Give a number with its unit, ms, s, m, h or d: "250ms", "10s", "1h".',
    );
    return 1e6;
  }
  if (microseconds < MIN_WINDOW || microseconds > MAX_WINDOW) {
    faults.add(path, duration, 'Give a time from "1ms" to "366d".');
    return 1e6;
  }
  return microseconds;
}

/** The times of an algorithm whose only parameter is its window. */
export function windowTimes(policy: Policy, _limit: number, path: string, faults: Faults): Times {
  const { window } = policy as Exclude<Policy, { algorithm: "token-bucket" }>;
  const windowMicroseconds = windowOf(window, `${path}.window`, faults);
  return { windowMicroseconds, parameters: [windowMicroseconds, 0] };
}

/** The shortest tick that keeps 8 * limit * window / tick below 2^53, so that a weighted count's products stay exact. */
export function tickOf(window: number, limit: number): number {
  return Math.max(1, Math.ceil((8 * limit * window) / 2 ** 53));
}
