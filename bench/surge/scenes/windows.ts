import type { Passed } from "../figures/over-admitted.ts";

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
