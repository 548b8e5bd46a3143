import { type AlgorithmModel, takes, waitingCost } from "./algorithm.ts";

export interface SegmentedWindowState {
  /** When the newest segment began, in microseconds. */
  readonly start: number;
  /** Units per segment, newest first. */
  readonly counts: readonly number[];
}

/** The running segment of `a` microseconds and the `b` full ones before it, summed unweighted. */
export const segmentedWindow: AlgorithmModel<SegmentedWindowState> = (state, request) => {
  const { now, operation, cost, limit, a: length, b: segments } = request;
  let { start, counts } = state ?? { start: -Infinity, counts: [] };
  const passed = Math.max(0, Math.floor((now - start) / length));
  if (passed > segments) {
    start = now - (now % length);
    counts = [0];
  } else {
    start += passed * length;
    counts = [...Array<number>(passed).fill(0), ...counts].slice(0, segments + 1);
  }
  const capped = counts.map((count) => Math.min(count, 2 * limit));
  let kept = state;
  if (start - now > segments * length) {
    // The clock went back: keep the counts for one window at most.
    start = now + segments * length;
    kept = { start, counts: capped };
  }
  const sum = () => capped.reduce((total, count) => total + count, 0);

  const allowed = sum() + cost <= limit;
  if (takes(operation, allowed)) {
    capped[0] = Math.min(capped[0]! + cost, 2 * limit);
    kept = { start, counts: capped };
  }

  /** How long until the segment at this index is out of the sum. */
  const leaves = (index: number) => start + (segments + 1 - index) * length - now;
  let retryAfter = 0;
  let left = sum();
  for (let index = capped.length - 1; left + waitingCost(request) > limit; index--) {
    left -= capped[index]!;
    retryAfter = leaves(index);
  }
  const newest = capped.findIndex((count) => count > 0);
  return {
    allowed,
    remaining: Math.max(0, limit - sum()),
    retryAfter,
    resetAfter: newest === -1 ? 0 : leaves(newest),
    state: kept,
  };
};
