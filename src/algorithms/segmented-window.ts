import {
  defineAlgorithm,
  IMPLEMENTATION,
  type ImplementationOf,
  MAX_LIMIT,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import {
  type AlgorithmModel,
  type ModelRequest,
  type RefundModel,
  takes,
  waitingCost,
} from "./model.ts";
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
const DEFAULT_SEGMENTS = 10;

/** Of as many settings the grids are kept: two services that share a name, and a gradual deployment of each. */
const MAX_GRIDS = 4;

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

interface SegmentedWindowParameters extends Readonly<Record<string, number>> {
  /** Length of a segment. */
  readonly lengthUs: number;
  /** How many of them make up the window. */
  readonly segments: number;
}

/** The counts of one setting. */
interface Grid {
  /** When the newest segment began. */
  readonly startUs: number;
  readonly lengthUs: number;
  readonly segments: number;
  /** Units per segment, newest first; with CUT added where a charge was cut off. */
  readonly counts: readonly number[];
}

interface LiveGrid extends Grid {
  /** Until when the setting is alive. */
  readonly untilUs: number;
}

/** The grid of the setting that wrote it, and those of the others that are alive: each counts every unit. */
interface SegmentedWindowState extends LiveGrid {
  readonly others: readonly LiveGrid[];
  /** Until when the grids of the others count. */
  readonly keptUntilUs: number;
}

const model: AlgorithmModel<SegmentedWindowParameters, SegmentedWindowState> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { lengthUs, segments } = parameters;
  const found = state && find(state, request);
  const others = found?.others ?? [];
  // Beside other settings a grid begins now: it has not counted the units taken before, and must not give them back.
  const fresh = { ...empty(nowUs, parameters), ...(others.length > 0 && { startUs: nowUs }) };
  const own = (found?.own && advance(found.own, nowUs)) ?? fresh;
  const { startUs, counts: stored } = own;
  const counts = stored.map(unitsOf);
  const sum = () => counts.reduce((total, count) => total + count, 0);
  const write = (grid: Grid, rest: readonly LiveGrid[]): SegmentedWindowState => ({
    ...grid,
    untilUs: nowUs + 2 * spanOf(grid),
    others: rest,
    keptUntilUs: Math.max(
      0,
      ...rest.map((other) => other.startUs + spanOf(other) + other.lengthUs),
    ),
  });
  let kept = found?.repaired ? write(own, others) : state;

  const allowed = sum() + cost <= limit;
  if (takes(operation, allowed)) {
    // A count of more than twice the limit was taken under a higher one, which may come back.
    const units = Math.min(counts[0]! + cost, Math.max(2 * limit, counts[0]!)) - counts[0]!;
    counts[0]! += units;
    const isCut = units < cost;
    kept = write(
      take(own, units, isCut),
      others.map((grid) => take(grid, units, isCut)),
    );
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

/** Marks a count of which a charge was cut off, when it is added: no count has as many units. */
const CUT = 2 ** 31;

const unitsOf = (count: number) => count % CUT;
const spanOf = ({ lengthUs, segments }: SegmentedWindowParameters | Grid) => lengthUs * segments;
const isSame = (grid: Grid, { lengthUs, segments }: SegmentedWindowParameters) =>
  grid.lengthUs === lengthUs && grid.segments === segments;

function empty(nowUs: number, { lengthUs, segments }: SegmentedWindowParameters | Grid): Grid {
  return { startUs: nowUs - (nowUs % lengthUs), lengthUs, segments, counts: [0] };
}

interface Found {
  /** The grid of the request's setting; `undefined` if nothing counts in its window. */
  readonly own: Grid | undefined;
  /** Those of the other settings that are alive, up to now. */
  readonly others: readonly LiveGrid[];
  /** Whether to write even if nothing is taken. */
  readonly repaired: boolean;
}

function find(
  state: SegmentedWindowState,
  { nowUs, operation, parameters }: ModelRequest<SegmentedWindowParameters>,
): Found {
  const several = state.others.length > 0;
  const grids = [state, ...state.others];
  const untilOf = (grid: LiveGrid) =>
    Math.min(several ? grid.untilUs : Infinity, nowUs + 2 * spanOf(grid));
  const same = grids.find((grid) => isSame(grid, parameters));
  const longest = grids.reduce((most, grid) => (spanOf(grid) > spanOf(most) ? grid : most));
  const isHere = same !== undefined && same.startUs <= nowUs;
  const source = same ?? longest;
  const own = isHere ? same : fold(source, nowUs, parameters);
  const asks = operation !== "peek";
  const repaired = isHere
    ? several && asks && untilOf(same) < nowUs + spanOf(same)
    : // From a time to come, a peek repairs, too: else a wait would begin anew with each.
      own !== undefined && (asks || source.startUs > nowUs);

  const others = grids.flatMap((grid) => {
    const untilUs = untilOf(grid);
    const ended = grid.startUs > nowUs || !several ? fold(grid, nowUs, grid) : grid;
    // The grid of another setting is alive while any unit of it counts.
    if (grid === same || untilUs <= nowUs || (!several && !ended)) return [];
    const before = grid.startUs > nowUs ? ended : grid;
    return [{ ...((before && advance(before, nowUs)) ?? empty(nowUs, grid)), untilUs }];
  });
  if (others.length === MAX_GRIDS) {
    const first = others.reduce((least, grid) => (grid.untilUs < least.untilUs ? grid : least));
    others.splice(others.indexOf(first), 1);
  }
  return { own, others, repaired };
}

/** The segments up to the one that is running now; `undefined` if none of them still counts. */
function advance(grid: Grid, nowUs: number): Grid | undefined {
  const { startUs, lengthUs, segments } = grid;
  const elapsed = Math.max(0, Math.floor((nowUs - startUs) / lengthUs));
  if (elapsed > segments) return undefined;
  const counts = [...Array<number>(elapsed).fill(0), ...grid.counts].slice(0, segments + 1);
  return { startUs: startUs + elapsed * lengthUs, lengthUs, segments, counts };
}

/**
 * The units that still count, as one segment of this setting, which ended at the latest moment at which any of them can have
 * been taken. `undefined` if none still counts.
 */
function fold(
  grid: Grid,
  nowUs: number,
  setting: SegmentedWindowParameters | Grid,
): Grid | undefined {
  const old = advance(grid, nowUs);
  const newest = old?.counts.findIndex((count) => unitsOf(count) > 0) ?? -1;
  if (newest === -1) return undefined;
  const { startUs, counts } = old!;
  const endedUs = Math.min(nowUs, startUs - (newest - 1) * grid.lengthUs);
  if (nowUs - endedUs >= spanOf(setting)) return undefined;
  const used = counts.reduce((total, count) => total + unitsOf(count), 0);
  const isCut = used >= CUT || counts.some((count) => count >= CUT);
  const { lengthUs, segments } = setting;
  const folded = Math.min(used, CUT - 1) + (isCut ? CUT : 0);
  return { startUs: endedUs, lengthUs, segments, counts: [0, folded] };
}

/** The grid with these units more in its newest segment. */
function take<Counted extends Grid>(grid: Counted, units: number, isCut: boolean): Counted {
  const [before, ...rest] = grid.counts;
  const count = unitsOf(before!) + units;
  const marked = isCut || before! >= CUT || count >= CUT;
  return { ...grid, counts: [Math.min(count, CUT - 1) + (marked ? CUT : 0), ...rest] };
}

/**
 * Only to the segment that took the units, while it counts, and if no charge was cut off there; in the grid of every setting
 * that is alive.
 */
export const refundSegmentedWindow: RefundModel<SegmentedWindowParameters, SegmentedWindowState> = (
  state,
  { nowUs, takenAtUs, cost, parameters: { lengthUs, segments } },
) => {
  function back<Counted extends Grid>(grid: Counted, most: number) {
    const { startUs, lengthUs: stepUs, counts } = grid;
    const index = Math.ceil((startUs - takenAtUs) / stepUs);
    const isCounting = nowUs < startUs + (grid.segments + 1 - index) * stepUs;
    const count = startUs <= nowUs && isCounting ? (counts[index] ?? 0) : 0;
    const refunded = count < CUT ? Math.min(most, count) : 0;
    const left = counts.map((each, i) => (i === index ? each - refunded : each));
    return { refunded, grid: { ...grid, counts: left } };
  }
  const own = [state, ...state.others].find(
    (grid) => grid.lengthUs === lengthUs && grid.segments === segments,
  );
  const refunded = own ? back(own, cost).refunded : 0;
  if (refunded === 0) return { refunded, state };
  const others = state.others.map((grid) => back(grid, refunded).grid);
  return { refunded, state: { ...back(state, refunded).grid, others } };
};

/** Bytes of the state in Redis with the default number of segments: a header, and 4 for each segment and the one that leaves. */
export const segmentedWindowBytes = (): number => 14 + 4 * (DEFAULT_SEGMENTS + 1);

export const SEGMENTED_WINDOW: ImplementationOf<SegmentedWindowPolicy> =
  /* @__PURE__ */ defineAlgorithm<
    SegmentedWindowPolicy,
    SegmentedWindowValues,
    SegmentedWindowParameters,
    SegmentedWindowState
  >({
    name: "segmented-window",
    code: "s",
    layout: 2,
    maxLimit: MAX_LIMIT,
    options: {
      window: WINDOW,
      segments: { kind: "integer", max: MAX_SEGMENTS, default: DEFAULT_SEGMENTS },
    },
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

function quotaOf(
  limit: number,
  windowUs: number,
  segments: number,
): Quota<SegmentedWindowParameters> {
  // Rounded up: segments that cover slightly more than the window keep its promise.
  return { limit, windowUs, parameters: { lengthUs: Math.ceil(windowUs / segments), segments } };
}
