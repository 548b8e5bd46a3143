import { defineAlgorithm, IMPLEMENTATION, MAX_LIMIT, type PolicyOf } from "./algorithm.ts";
import { type AlgorithmModel, type ModelRequest, takes, waitingCost } from "./model.ts";
import { SEGMENTED_WINDOW as script } from "./scripts.generated.ts";
import {
  maxWindowLeaseUs,
  scaleWindow,
  WINDOW,
  windowNameParts,
  type WindowOptions,
  type WindowValues,
} from "./window.ts";

/** A segmented window reads all its counts with each request. */
const MAX_SEGMENTS = 60;

/** The script has four bytes for a count. */
const MAX_COUNT = 2 ** 32 - 1;

export interface SegmentedWindowOptions extends WindowOptions {
  /**
   * Number of segments in the window. With k segments, at least k/(k+1) of the limit is usable: with 10, at least 90 %.
   * Range: 1 to 60. Default: `10`.
   */
  readonly segments?: number;
}

export type SegmentedWindowPolicy = PolicyOf<"segmented-window", SegmentedWindowOptions>;

/**
 * One count per segment of the window, summed unweighted: never more than `limit` in any trailing window, and with k
 * segments at least k/(k+1) of the limit is usable. A unit comes back with its segment, at most one segment after the
 * window: with `window: "60s", segments: 10`, 60 to 66 s after it was taken. k + 1 counts in Redis.
 *
 * @example
 * segmentedWindow({ limit: 6, window: "60s", segments: 10 })
 */
export function segmentedWindow(options: SegmentedWindowOptions): SegmentedWindowPolicy {
  return { ...options, algorithm: "segmented-window", [IMPLEMENTATION]: SEGMENTED_WINDOW };
}

interface SegmentedWindowValues extends WindowValues {
  readonly segments: number;
}

export interface SegmentedWindowParameters extends Readonly<Record<string, number>> {
  /** Length of a segment. */
  readonly lengthUs: number;
  /** How many of them make up the window. */
  readonly segments: number;
}

export interface SegmentedWindowState {
  /** When the newest segment began. */
  readonly startUs: number;
  readonly lengthUs: number;
  readonly segments: number;
  /** Units per segment, newest first. */
  readonly counts: readonly number[];
}

const model: AlgorithmModel<SegmentedWindowParameters, SegmentedWindowState> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { lengthUs, segments } = parameters;
  const fresh = { startUs: nowUs - (nowUs % lengthUs), lengthUs, segments, counts: [0] };
  const moved =
    state && (state.startUs > nowUs || state.lengthUs !== lengthUs || state.segments !== segments);
  const before = moved ? endSegment(state, request) : state;
  const { startUs, counts: stored } = (before && advance(before, nowUs)) ?? fresh;
  const counts = [...stored];
  let kept = moved && before ? before : state;
  const sum = () => counts.reduce((total, count) => total + count, 0);

  const allowed = sum() + cost <= limit;
  if (takes(operation, allowed)) {
    // A count of more than twice the limit was taken under a higher one, which may come back.
    counts[0] = Math.min(counts[0]! + cost, Math.max(2 * limit, counts[0]!));
    kept = { startUs, lengthUs, segments, counts };
  }

  /** How long until the segment at this index leaves the sum. */
  const leavesAfterUs = (index: number) => startUs + (segments + 1 - index) * lengthUs - nowUs;
  let retryAfterUs = 0;
  let left = sum();
  for (let index = counts.length - 1; left + waitingCost(request) > limit; index--) {
    left -= counts[index]!;
    retryAfterUs = leavesAfterUs(index);
  }
  const newest = counts.findIndex((count) => count > 0);
  return {
    allowed,
    remaining: Math.max(0, limit - sum()),
    retryAfterUs,
    resetAfterUs: newest === -1 ? 0 : leavesAfterUs(newest),
    state: kept,
  };
};

/** The segments up to the one that is running now; `undefined` if none of them still counts. */
function advance(state: SegmentedWindowState, nowUs: number): SegmentedWindowState | undefined {
  const { lengthUs, segments } = state;
  const elapsed = Math.max(0, Math.floor((nowUs - state.startUs) / lengthUs));
  if (elapsed > segments) return undefined;
  const counts = [...Array<number>(elapsed).fill(0), ...state.counts].slice(0, segments + 1);
  return { ...state, startUs: state.startUs + elapsed * lengthUs, counts };
}

/**
 * After a clock step back or changed segments, what still counts becomes one segment, which ended at the latest moment
 * at which any of it can have been taken. `undefined` if nothing still counts.
 */
function endSegment(
  state: SegmentedWindowState,
  { nowUs, parameters: { lengthUs, segments } }: ModelRequest<SegmentedWindowParameters>,
): SegmentedWindowState | undefined {
  const old = advance(state, nowUs);
  const newest = old?.counts.findIndex((count) => count > 0) ?? -1;
  if (newest === -1) return undefined;
  const { startUs, counts } = old!;
  const used = counts.reduce((total, count) => total + count, 0);
  const endedUs = newest === 0 ? nowUs : Math.min(nowUs, startUs - (newest - 1) * old!.lengthUs);
  if (nowUs - endedUs >= segments * lengthUs) return undefined;
  return advance(
    { startUs: endedUs, lengthUs, segments, counts: [0, Math.min(used, MAX_COUNT)] },
    nowUs,
  );
}

export const SEGMENTED_WINDOW = defineAlgorithm<
  SegmentedWindowValues,
  SegmentedWindowParameters,
  SegmentedWindowState
>({
  name: "segmented-window",
  code: "s",
  layout: 1,
  maxLimit: MAX_LIMIT,
  options: { window: WINDOW, segments: { kind: "integer", max: MAX_SEGMENTS, default: 10 } },
  nameParts: windowNameParts,

  quotaOf: (limit, { window: windowUs, segments }) => quotaOf(limit, windowUs, segments),
  parameters: ["lengthUs", "segments"],
  ttl: () => 0,

  lease: {
    tighten: ({ limit, windowUs, parameters: { segments } }, leaseUs) =>
      quotaOf(limit, windowUs + leaseUs, segments),
    maxUs: maxWindowLeaseUs,
  },
  scale: scaleWindow,
  script,
  model,
});

function quotaOf(limit: number, windowUs: number, segments: number) {
  // Rounded up: segments that cover slightly more than the window keep its promise.
  return { limit, windowUs, parameters: { lengthUs: Math.ceil(windowUs / segments), segments } };
}
