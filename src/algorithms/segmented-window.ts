import {
  defineAlgorithm,
  type ImplementationOf,
  madeOf,
  MAX_LIMIT,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import type { Denials, Failures, Labels, MarksOf, Refundable } from "./common-options.ts";
import { type AlgorithmModel, type RefundModel, takes, waitingCost } from "./model.ts";
import { SEGMENTED_WINDOW as script } from "./scripts.generated.ts";
import {
  lengthText,
  maxWindowLeaseUs,
  partOfWindow,
  WINDOW,
  windowNameParts,
  type WindowData,
  type WindowOptions,
  type WindowValues,
} from "./window.ts";

/** A segmented window reads all its counts with each request. */
const MAX_SEGMENTS = 60;
const DEFAULT_SEGMENTS = 10;

interface Segments {
  /**
   * Number of segments in the window. With k segments, at least k/(k+1) of the limit is usable: with 10, at least 90 %.
   * Range: 1 to 60. Default: `10`.
   */
  readonly segments?: number;
}

/** The options of `segmentedWindow()`. */
export type SegmentedWindowOptions<
  F extends Denials | Failures = Denials | Failures,
  R extends Refundable = Refundable,
> = WindowOptions<F, R> & Segments;

export type SegmentedWindowPolicy = PolicyOf<"segmented-window", WindowData & Segments>;

/**
 * One count per segment of the window, summed unweighted: never more than `limit` in any trailing window, and with k
 * segments at least k/(k+1) of the limit is usable. A unit comes back with its segment, at most one segment after the
 * window: with `window: "60s", segments: 10`, 60 to 66 s after it was taken. k + 1 counts in Redis.
 *
 * @example
 * segmentedWindow({ limit: 6, window: "60s", segments: 10 })
 */
export function segmentedWindow<
  F extends Denials | Failures = never,
  R extends Refundable = never,
  Name extends string = string,
  By extends string = never,
  Has extends string = never,
>(
  options: SegmentedWindowOptions<F, R> & Labels<Name, By, Has>,
): SegmentedWindowPolicy & MarksOf<F | R, Name, By, Has> {
  return madeOf(options, SEGMENTED_WINDOW);
}

interface SegmentedWindowValues extends WindowValues {
  readonly segments: number;
}

interface SegmentedWindowParameters extends Readonly<Record<string, number>> {
  readonly lengthUs: number;
  /** How many of them make up the window. */
  readonly segments: number;
}

interface SegmentedWindowState {
  /** When the newest segment began. */
  readonly startUs: number;
  /** Units per segment, newest first. */
  readonly counts: readonly number[];
}

/** The script has four bytes for each. */
const MAX_COUNT = 2 ** 32 - 1;

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

export const countSegmentedWindow: AlgorithmModel<
  SegmentedWindowParameters,
  SegmentedWindowState
> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { lengthUs, segments } = parameters;
  const current = segmentsAt(nowUs, parameters, state);
  const { startUs } = current;
  let { counts } = current;

  const allowed = sumOf(counts) + cost <= limit;
  // Once the clock has stepped back, the counts are written even if nothing is taken.
  let kept = state && nowUs < state.startUs ? current : state;
  if (takes(operation, allowed)) {
    const [newest, ...others] = counts as [number, ...number[]];
    counts = [Math.min(newest + cost, MAX_COUNT), ...others];
    kept = { startUs, counts };
  }

  /** How long until the segment at this index leaves the sum. */
  const leavesAfterUs = (index: number) => startUs + (segments + 1 - index) * lengthUs - nowUs;
  let retryAfterUs = 0;
  let left = sumOf(counts);
  for (let index = counts.length - 1; left + waitingCost(request) > limit; index--) {
    left -= counts[index]!;
    retryAfterUs = leavesAfterUs(index);
  }
  const newest = counts.findIndex((count) => count > 0);
  return {
    allowed,
    remaining: Math.max(0, limit - sumOf(counts)),
    retryAfterUs,
    resetAfterUs: newest === -1 ? 0 : leavesAfterUs(newest),
    state: kept,
  };
};

/** The segments up to the one that is running now. */
function segmentsAt(
  nowUs: number,
  { lengthUs, segments }: SegmentedWindowParameters,
  state: SegmentedWindowState | undefined,
): SegmentedWindowState {
  const { startUs, counts } = state ?? { startUs: -Infinity, counts: [] };
  const passed = Math.floor((nowUs - startUs) / lengthUs);
  if (passed > segments) return { startUs: nowUs - (nowUs % lengthUs), counts: [0] };
  // The clock stepped back: all units become one segment that ends now.
  if (passed < 0) return { startUs: nowUs, counts: [0, Math.min(sumOf(counts), MAX_COUNT)] };
  return {
    startUs: startUs + passed * lengthUs,
    counts: [...Array<number>(passed).fill(0), ...counts].slice(0, segments + 1),
  };
}

/** Only to the segment that took the units, while it counts; nothing of the greatest count, beyond which charges were cut off. */
export const refundSegmentedWindow: RefundModel<SegmentedWindowParameters, SegmentedWindowState> = (
  state,
  { nowUs, takenAtUs, cost, parameters: { lengthUs, segments } },
) => {
  const { startUs, counts } = state;
  const at = Math.ceil((startUs - takenAtUs) / lengthUs);
  const isCounting = startUs <= nowUs && nowUs < startUs + (segments + 1 - at) * lengthUs;
  const count = counts[at] ?? 0;
  const refunded = isCounting && count < MAX_COUNT ? Math.min(cost, count) : 0;
  if (refunded === 0) return { refunded, state };
  return {
    refunded,
    state: { startUs, counts: counts.map((each, i) => (i === at ? each - refunded : each)) },
  };
};

/** Bytes of the state in Redis with the default number of segments: a header, and 4 for each segment and the one that leaves. */
export const segmentedWindowBytes = (): number => 7 + 4 * (DEFAULT_SEGMENTS + 1);

export const SEGMENTED_WINDOW: ImplementationOf<SegmentedWindowPolicy> =
  /* @__PURE__ */ defineAlgorithm<
    SegmentedWindowPolicy,
    SegmentedWindowValues,
    SegmentedWindowParameters
  >({
    name: "segmented-window",
    code: "s",
    layout: 3,
    maxLimit: MAX_LIMIT,
    options: {
      window: WINDOW,
      segments: { kind: "integer", max: MAX_SEGMENTS, default: DEFAULT_SEGMENTS },
    },
    nameParts: windowNameParts,

    quotaOf: (limit, { window: windowUs, segments }) => quotaOf(limit, windowUs, segments),
    parameters: ["lengthUs", "segments"],
    meaning: ({ parameters: { lengthUs, segments } }) => [`${lengthText(lengthUs)}*${segments}`],

    lease: {
      tighten: ({ limit, windowUs, parameters: { segments } }, leaseUs) =>
        quotaOf(limit, windowUs + leaseUs, segments),
      maxUs: maxWindowLeaseUs,
    },
    partOf: partOfWindow,
    script,
  });

function quotaOf(
  limit: number,
  windowUs: number,
  segments: number,
): Quota<SegmentedWindowParameters> {
  // Rounded up: segments that cover slightly more than the window keep its promise.
  return { limit, windowUs, parameters: { lengthUs: Math.ceil(windowUs / segments), segments } };
}
