import { bisectRight } from "d3-array";

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

/**
 * The least number of these requests that a token bucket, full at first, can't have admitted, for any moments within their
 * bounds. 0 proves nothing wrong; any other number proves that the policy let too many through. If the moments are known, it is
 * exactly the number that a bucket would have denied.
 *
 * In a span of time w it admits `limit + refill * w`, and a request whose bounds lie in the span passed in it. So each
 * span has a number that is beyond; they are added up over those spans, without a common moment, that give the most.
 */
export function overAdmitted(passed: readonly Passed[], { limit, refillPerMs }: Bucket): number {
  const coming = passed.toSorted((a, b) => a.earliestMs - b.earliestMs);
  const earliest = coming.map(({ earliestMs }) => earliestMs);
  const ends = coming
    .map(({ latestMs }, index) => ({ latestMs, index, next: bisectRight(earliest, latestMs) }))
    .sort((a, b) => a.latestMs - b.latestMs);
  /** The most that is beyond among those from an index on. */
  const beyond = Array<number>(coming.length + 1).fill(0);

  for (let first = coming.length - 1; first >= 0; first--) {
    let [most, held] = [beyond[first + 1]!, 0];
    for (const { latestMs, index, next } of ends) {
      if (index < first) continue;
      held++;
      const admits = Math.floor(limit + (latestMs - earliest[first]!) * refillPerMs + ROUNDING);
      most = Math.max(most, Math.max(0, held - admits) + beyond[next]!);
    }
    beyond[first] = most;
  }
  return beyond[0]!;
}

/**
 * The most requests that some window of this length held for certain, for any moments within their bounds. It never exceeds the
 * true number, so that a limit that holds is never reported as broken.
 */
export function fullestWindow(passed: readonly Passed[], windowMs: number): number {
  const sorted = passed.toSorted((a, b) => a.earliestMs - b.earliestMs);
  let fullest = 0;
  sorted.forEach(({ earliestMs }, first) => {
    let held = 0;
    for (let i = first; i < sorted.length && sorted[i]!.earliestMs < earliestMs + windowMs; i++) {
      if (sorted[i]!.latestMs < earliestMs + windowMs) held++;
    }
    fullest = Math.max(fullest, held);
  });
  return fullest;
}

/** How many of these requests passed for certain in the window that ends at a moment, without its old end. */
export function heldAt(passed: readonly Passed[], endMs: number, windowMs: number): number {
  return passed.filter(
    ({ earliestMs, latestMs }) => earliestMs > endMs - windowMs && latestMs <= endMs,
  ).length;
}
