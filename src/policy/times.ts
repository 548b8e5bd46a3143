import type { Faults } from "../errors.ts";
import { parseDuration } from "./duration.ts";
import type { Policy } from "./policy.ts";
import { MAX_LIMIT, whole } from "./whole.ts";

/** A segmented window reads all its counts with each request. */
const MAX_SEGMENTS = 60;
const MIN_WINDOW = 1_000;
const MAX_WINDOW = 366 * 86_400e6;

/** What a policy's durations come to. */
export interface Times {
  readonly windowMicroseconds: number;
  readonly parameters: readonly [number, number];
}

/** An interval and a divisor: one unit comes back every interval / divisor microseconds. */
export function compileTokenBucket(
  { refill, per }: Policy & { algorithm: "token-bucket" },
  limit: number,
  path: string,
  faults: Faults,
): Times {
  const units = whole(refill, MAX_LIMIT, `${path}.refill`, faults);
  const microseconds = windowOf(per, `${path}.per`, faults);
  const divisor = greatestCommonDivisor(microseconds, units);
  let parameters: [number, number] = [microseconds / divisor, units / divisor];
  if (limit * parameters[0] >= 2 ** 51) {
    // The exact fraction does not fit: round the interval up, so that never a unit too many comes back.
    parameters = [Math.ceil(microseconds / units), 1];
  }
  const windowMicroseconds = (limit * parameters[0]) / parameters[1];
  if (windowMicroseconds > MAX_WINDOW) {
    faults.add(
      `${path}.limit`,
      limit,
      `At ${units} per ${per} the bucket would take more than 366 days to refill: lower the limit or raise the refill.`,
    );
  }
  return { windowMicroseconds, parameters };
}

/** The parameters of the algorithms that have a window, as their Lua files name them. */
export function compileWindow(
  policy: Exclude<Policy, { algorithm: "token-bucket" }>,
  limit: number,
  path: string,
  faults: Faults,
): Times {
  const windowMicroseconds = windowOf(policy.window, `${path}.window`, faults);
  if (policy.algorithm === "segmented-window") {
    const { segments = 10 } = policy;
    const count = whole(segments, MAX_SEGMENTS, `${path}.segments`, faults);
    // Rounded up: segments that cover a little more than the window keep its promise.
    return { windowMicroseconds, parameters: [Math.ceil(windowMicroseconds / count), count] };
  }
  if (policy.algorithm === "sliding-window-counter") {
    return {
      windowMicroseconds,
      parameters: [windowMicroseconds, tickOf(windowMicroseconds, limit)],
    };
  }
  return { windowMicroseconds, parameters: [windowMicroseconds, 0] };
}

/** The shortest tick that keeps 8 * limit * window / tick below 2^53, so that the counter's products stay exact. */
function tickOf(window: number, limit: number): number {
  return Math.max(1, Math.ceil((8 * limit * window) / 2 ** 53));
}

function windowOf(duration: unknown, path: string, faults: Faults): number {
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

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
