import { max } from "d3-array";

/** A request that passed a policy, at some moment from `earliestMs` to `latestMs`. */
export interface Passed {
  readonly earliestMs: number;
  readonly latestMs: number;
}

export interface Bucket {
  readonly limit: number;
  readonly refillPerMs: number;
}

/** Sums of fractions of a token may fall short of one by that much. */
const ROUNDING = 1e-6;

/** Each span from a request's earliest moment to another's latest, and how many passed in it for certain. */
function* spansOf(
  passed: readonly Passed[],
): Generator<{ readonly ms: number; readonly held: number }> {
  const ends = passed.toSorted((a, b) => a.latestMs - b.latestMs);
  for (const { earliestMs: beginMs } of passed) {
    let held = 0;
    for (const { earliestMs, latestMs } of ends) {
      if (earliestMs >= beginMs) yield { ms: latestMs - beginMs, held: ++held };
    }
  }
}

/**
 * The most that any span of time held beyond what a token bucket, full at first, admits in one of its length. 0 proves nothing
 * wrong; any other number proves that the policy let too many through, for any moments within the bounds.
 */
export function overAdmitted(passed: readonly Passed[], { limit, refillPerMs }: Bucket): number {
  const beyond = ({ ms, held }: { readonly ms: number; readonly held: number }) =>
    held - Math.floor(limit + ms * refillPerMs + ROUNDING);
  return Math.max(0, max(spansOf(passed), beyond) ?? 0);
}

/**
 * The most requests that some window of this length held for certain. It never exceeds the true number, so that a limit that holds
 * is never reported as broken.
 */
export function fullestWindow(passed: readonly Passed[], windowMs: number): number {
  return max(spansOf(passed), ({ ms, held }) => (ms < windowMs ? held : 0)) ?? 0;
}

/** How many of these requests passed for certain in the window that ends at a moment, without its old end. */
export function heldAt(passed: readonly Passed[], endMs: number, windowMs: number): number {
  return passed.filter(
    ({ earliestMs, latestMs }) => earliestMs > endMs - windowMs && latestMs <= endMs,
  ).length;
}
