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
import { SLIDING_WINDOW_COUNTER as script } from "./scripts.generated.ts";
import {
  maxWindowLeaseUs,
  scaleWindow,
  WINDOW,
  windowNameParts,
  type WindowOptions,
  type WindowValues,
} from "./window.ts";

export type SlidingWindowCounterPolicy = PolicyOf<"sliding-window-counter", WindowOptions>;

/**
 * The count of the current window plus the previous one's, weighted by the share of it that the trailing window still
 * covers: 3 s into a 10 s window, 70 % of the previous count. Near exact on average; the worst trailing window holds
 * twice the limit. Two counts in Redis.
 *
 * @example
 * slidingWindowCounter({ limit: 30, window: "10s" })
 */
export function slidingWindowCounter(options: WindowOptions): SlidingWindowCounterPolicy {
  return {
    ...options,
    algorithm: "sliding-window-counter",
    [IMPLEMENTATION]: SLIDING_WINDOW_COUNTER,
  };
}

interface SlidingWindowCounterParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** Time is weighed in whole ticks of this length. */
  readonly tickUs: number;
}

/** The counts of one setting. */
interface Counts {
  /** When the current window began. */
  readonly startUs: number;
  /** The window's length, rounded up. */
  readonly lengthMs: number;
  /** Of both, with CUT added where units were cut off. */
  readonly current: number;
  readonly previous: number;
}

interface LiveCounts extends Counts {
  /** Until when the setting is alive. */
  readonly untilUs: number;
}

/** The counts of the setting that wrote it, and those of the others that are alive: each counts every unit. */
interface SlidingWindowCounterState extends LiveCounts {
  readonly others: readonly LiveCounts[];
  /** Until when those of the others count. */
  readonly keptUntilUs: number;
}

const model: AlgorithmModel<SlidingWindowCounterParameters, SlidingWindowCounterState> = (
  state,
  request,
) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { windowUs, tickUs } = parameters;
  const found = state && find(state, request);
  const others = found?.others ?? [];
  const ticks = Math.ceil(windowUs / tickUs);
  // More than twice the limit was taken under a higher one, which may come back, so that as much is kept as products below
  // 2^53 and the script's 31 bits allow: at least twice the limit, which ticks rounded up can make a little more than
  // 2^51 / ticks.
  const most = Math.max(2 * limit, Math.min(Math.floor(2 ** 51 / ticks), CUT - 1));
  const lengthMs = Math.ceil(windowUs / 1000);
  const own = cutAbove(advance(found?.own, nowUs, windowUs, lengthMs), most);
  const { startUs } = own;
  const previous = unitsOf(own.previous);
  let current = unitsOf(own.current);
  const write = (counts: Counts, rest: readonly LiveCounts[]): SlidingWindowCounterState => ({
    ...counts,
    untilUs: nowUs + 2 * windowUs,
    others: rest,
    keptUntilUs: Math.max(0, ...rest.map((other) => other.startUs + 2 * windowOf(other))),
  });
  let kept = found?.repaired ? write(own, others) : state;

  const elapsed = Math.floor((nowUs - startUs) / tickUs);
  const carried = previous * (ticks - elapsed);
  const fits = (units: number) => carried + (current + units) * ticks <= limit * ticks;

  const allowed = fits(cost);
  if (takes(operation, allowed)) {
    const units = Math.min(cost, Math.max(0, 2 * limit - current));
    const isCut = units < cost;
    kept = write(
      take(own, units, isCut),
      others.map((counts) => take(counts, units, isCut)),
    );
    current += units;
  }

  const wanted = waitingCost(request);
  let retryAfterUs = 0;
  if (!fits(wanted)) {
    // The tick at which the count carried over has shrunk to the room beside it: in this window, or in the next one,
    // which carries over the current count.
    const next = current + wanted > limit;
    const room = (next ? limit - wanted : limit - current - wanted) * ticks;
    const shrunk = (ticks - Math.floor(room / (next ? current : previous))) * tickUs;
    retryAfterUs = startUs + (next ? windowUs : 0) + Math.min(shrunk, windowUs) - nowUs;
  }
  const resetAfterUs =
    current > 0 ? startUs + 2 * windowUs - nowUs : previous > 0 ? startUs + windowUs - nowUs : 0;
  return {
    allowed,
    remaining: Math.max(0, limit - current - Math.ceil(carried / ticks)),
    retryAfterUs,
    resetAfterUs,
    state: kept,
  };
};

/** Marks a count from which units were cut off, when it is added: no count has as many. */
const CUT = 2 ** 31;

/** Of as many settings the counts are kept: two services that share a name, and a gradual deployment of each. */
const MAX_SETTINGS = 4;

const unitsOf = (count: number) => count % CUT;
const windowOf = ({ lengthMs }: Counts) => lengthMs * 1000;
const withCut = (units: number, isCut: boolean) => units + (isCut ? CUT : 0);

interface Found {
  /** The counts of the request's setting; `undefined` if nothing counts in its window. */
  readonly own: Counts | undefined;
  /** Those of the other settings that are alive, up to now. */
  readonly others: readonly LiveCounts[];
  /** Whether to write even if nothing is taken. */
  readonly repaired: boolean;
}

function find(
  state: SlidingWindowCounterState,
  { nowUs, operation, parameters: { windowUs } }: ModelRequest<SlidingWindowCounterParameters>,
): Found {
  const lengthMs = Math.ceil(windowUs / 1000);
  const several = state.others.length > 0;
  const settings = [state, ...state.others];
  const untilOf = (counts: LiveCounts) =>
    Math.min(several ? counts.untilUs : Infinity, nowUs + 2 * windowOf(counts));
  const same = settings.find((counts) => counts.lengthMs === lengthMs);
  const longest = settings.reduce((most, each) => (each.lengthMs > most.lengthMs ? each : most));
  const isHere = same !== undefined && same.startUs <= nowUs;
  const source = same ?? longest;
  // Of several settings one may have counted units that another has forgotten: counts made of them get nothing back.
  const sure = several ? withoutRefunds : (counts: Counts) => counts;
  const folded = fold(source, nowUs, windowUs, lengthMs);
  const empty = several ? { startUs: nowUs, lengthMs, current: 0, previous: 0 } : undefined;
  const made = folded ?? empty;
  const own = isHere ? same : made && sure(made);
  const asks = operation !== "peek";
  const repaired = isHere
    ? several && asks && untilOf(same) < nowUs + windowUs
    : // From a time to come, a peek repairs, too: else a wait would begin anew with each.
      folded !== undefined && (asks || source.startUs > nowUs);

  const others = settings.flatMap((counts) => {
    const untilUs = untilOf(counts);
    const ended = fold(counts, nowUs, windowOf(counts), counts.lengthMs);
    // The counts of another setting are alive while any of their units counts.
    if (counts === same || untilUs <= nowUs || (!several && !ended)) return [];
    const before = counts.startUs > nowUs ? ended && sure(ended) : counts;
    return [{ ...advance(before, nowUs, windowOf(counts), counts.lengthMs), untilUs }];
  });
  if (others.length === MAX_SETTINGS) {
    const first = others.reduce((least, each) => (each.untilUs < least.untilUs ? each : least));
    others.splice(others.indexOf(first), 1);
  }
  return { own, others, repaired };
}

function withoutRefunds(counts: Counts): Counts {
  return { ...counts, previous: withCut(unitsOf(counts.previous), true) };
}

/** The counts of the window that is running now. */
function advance(
  counts: Counts | undefined,
  nowUs: number,
  windowUs: number,
  lengthMs: number,
): Counts {
  if (!counts || nowUs - counts.startUs >= 2 * windowUs) {
    return { startUs: nowUs - (nowUs % windowUs), lengthMs, current: 0, previous: 0 };
  }
  const { startUs, current, previous } = counts;
  if (nowUs - startUs < windowUs) return { startUs, lengthMs, current, previous };
  return { startUs: startUs + windowUs, lengthMs, current: 0, previous: current };
}

/**
 * The units that still count, as the previous window of this setting, which ended at the latest moment at which any of them
 * can have been taken. `undefined` if none still counts.
 */
function fold(
  counts: Counts,
  nowUs: number,
  windowUs: number,
  lengthMs: number,
): Counts | undefined {
  const { startUs, current, previous } = endWindow(counts, nowUs);
  if (unitsOf(previous) === 0 || nowUs - startUs >= windowUs) return undefined;
  return { startUs, lengthMs, current, previous };
}

function endWindow(counts: Counts, nowUs: number): Omit<Counts, "lengthMs"> {
  const { startUs, current, previous } = counts;
  const oldUs = windowOf(counts);
  const elapsedUs = nowUs - startUs;
  if (elapsedUs >= oldUs) {
    return {
      startUs: startUs + oldUs,
      current: 0,
      previous: elapsedUs < 2 * oldUs ? current : 0,
    };
  }
  if (unitsOf(current) === 0) return { startUs: Math.min(startUs, nowUs), current: 0, previous };
  const weight = elapsedUs > 0 ? (oldUs - elapsedUs) / oldUs : 1;
  const units = unitsOf(current) + Math.ceil(unitsOf(previous) * weight);
  // The weight of a single unit is unknown once a count has lost weight.
  const isCut = current >= CUT || previous > 0;
  return { startUs: nowUs, current: 0, previous: withCut(Math.min(units, CUT - 1), isCut) };
}

function cutAbove(counts: Counts, most: number): Counts {
  const cut = (count: number) =>
    withCut(Math.min(unitsOf(count), most), count >= CUT || count > most);
  return { ...counts, current: cut(counts.current), previous: cut(counts.previous) };
}

/** The counts with these units more in the current window. */
function take<Counted extends Counts>(counts: Counted, units: number, isCut: boolean): Counted {
  const count = unitsOf(counts.current) + units;
  const marked = isCut || counts.current >= CUT || count >= CUT;
  return { ...counts, current: withCut(Math.min(count, CUT - 1), marked) };
}

/**
 * Only to the window that took the units, while it counts, and if no units were cut off from it; to the counts of every
 * setting that is alive.
 */
export const refundSlidingWindowCounter: RefundModel<
  SlidingWindowCounterParameters,
  SlidingWindowCounterState
> = (state, { nowUs, takenAtUs, cost, parameters }) => {
  const lengthMs = Math.ceil(parameters.windowUs / 1000);
  const isOwn = (counts: Counts) => counts.lengthMs === lengthMs;

  function back<Counted extends Counts>(counts: Counted, most: number) {
    const { startUs } = counts;
    const windowUs = isOwn(counts) ? parameters.windowUs : counts.lengthMs * 1000;
    const holds = startUs <= takenAtUs ? "current" : "previous";
    const beganUs = holds === "current" ? startUs : startUs - windowUs;
    const inWindow = beganUs <= takenAtUs && takenAtUs < beganUs + windowUs;
    const counting = startUs <= nowUs && nowUs < beganUs + 2 * windowUs;
    const sure = inWindow && counting && counts[holds] < CUT;
    const refunded = sure ? Math.min(most, counts[holds]) : 0;
    return { refunded, counts: { ...counts, [holds]: counts[holds] - refunded } };
  }
  const own = [state, ...state.others].find(isOwn);
  const refunded = own ? back(own, cost).refunded : 0;
  if (refunded === 0) return { refunded, state };
  const others = state.others.map((counts) => back(counts, refunded).counts);
  return { refunded, state: { ...back(state, refunded).counts, others } };
};

/** Bytes of the state in Redis. */
export const slidingWindowCounterBytes = (): number => 20;

export const SLIDING_WINDOW_COUNTER: ImplementationOf<SlidingWindowCounterPolicy> =
  /* @__PURE__ */ defineAlgorithm<
    SlidingWindowCounterPolicy,
    WindowValues,
    SlidingWindowCounterParameters,
    SlidingWindowCounterState
  >({
    name: "sliding-window-counter",
    code: "c",
    layout: 2,
    maxLimit: MAX_LIMIT,
    options: { window: WINDOW },
    nameParts: windowNameParts,

    quotaOf: (limit, { window: windowUs }) => quotaOf(limit, windowUs),
    parameters: ["windowUs", "tickUs"],
    ttl: () => 0,

    lease: {
      tighten: ({ limit, windowUs }, leaseUs) => quotaOf(limit, windowUs + leaseUs),
      maxUs: maxWindowLeaseUs,
    },
    scale: scaleWindow,
    script,
    model,
  });

function quotaOf(limit: number, windowUs: number): Quota<SlidingWindowCounterParameters> {
  // The shortest tick that keeps 8 * limit * window / tick below 2^53, so that weighted products stay exact.
  const tickUs = Math.max(1, Math.ceil((8 * limit * windowUs) / 2 ** 53));
  return { limit, windowUs, parameters: { windowUs, tickUs } };
}
