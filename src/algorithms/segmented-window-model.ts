import { type AlgorithmModel, type Request, takes, waitingCost } from "./model.ts";

export interface SegmentedWindowState {
  /** When the newest segment began, in microseconds. */
  readonly start: number;
  /** Of a segment, in microseconds, and how many of them make the window. */
  readonly length: number;
  readonly segments: number;
  /** Units per segment, newest first. */
  readonly counts: readonly number[];
}

/** The running segment of `a` microseconds and the `b` full ones before it, summed unweighted. */
export const segmentedWindow: AlgorithmModel<SegmentedWindowState> = (state, request) => {
  const { now, operation, cost, limit, a: length, b: segments } = request;
  const fresh = { start: now - (now % length), length, segments, counts: [0] };
  const moved =
    state && (state.start > now || state.length !== length || state.segments !== segments);
  const before = moved ? endSegment(state, request) : state;
  const { start, counts } = (before && goOn(before, now)) ?? fresh;
  // Only a charge or a lowered limit leads to more, and more than twice the limit decides nothing more.
  const capped = counts.map((count) => Math.min(count, 2 * limit));
  let kept = moved && before ? { ...before, counts: capped } : state;
  const sum = () => capped.reduce((total, count) => total + count, 0);

  const allowed = sum() + cost <= limit;
  if (takes(operation, allowed)) {
    capped[0] = Math.min(capped[0]! + cost, 2 * limit);
    kept = { start, length, segments, counts: capped };
  }

  /** How long until the segment at this index is out of the sum. */
  const leaves = (index: number) => start + (segments + 1 - index) * length - now;
  let retryAfterUs = 0;
  let left = sum();
  for (let index = capped.length - 1; left + waitingCost(request) > limit; index--) {
    left -= capped[index]!;
    retryAfterUs = leaves(index);
  }
  const newest = capped.findIndex((count) => count > 0);
  return {
    allowed,
    remaining: Math.max(0, limit - sum()),
    retryAfterUs,
    resetAfterUs: newest === -1 ? 0 : leaves(newest),
    state: kept,
  };
};

/** The segments up to the one that is running now; `undefined` if none of them can matter. */
function goOn(state: SegmentedWindowState, now: number): SegmentedWindowState | undefined {
  const { length, segments } = state;
  const passed = Math.max(0, Math.floor((now - state.start) / length));
  if (passed > segments) return undefined;
  const counts = [...Array<number>(passed).fill(0), ...state.counts].slice(0, segments + 1);
  return { ...state, start: state.start + passed * length, counts };
}

/**
 * Where the clock went back, or the segments are others than they were: what still counts becomes one segment, which has
 * ended at the latest moment at which any of it can have been taken. `undefined` if nothing does.
 */
function endSegment(
  state: SegmentedWindowState,
  { now, limit, a: length, b: segments }: Request,
): SegmentedWindowState | undefined {
  const old = goOn(state, now);
  const newest = old?.counts.findIndex((count) => count > 0) ?? -1;
  if (newest === -1) return undefined;
  const { start, counts } = old!;
  const used = counts.reduce((total, count) => total + Math.min(count, 2 * limit), 0);
  const ended = newest === 0 ? now : Math.min(now, start - (newest - 1) * old!.length);
  if (now - ended >= segments * length) return undefined;
  return goOn({ start: ended, length, segments, counts: [0, used] }, now);
}
