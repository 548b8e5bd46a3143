import {
  defineAlgorithm,
  type ImplementationOf,
  madeOf,
  MAX_LIMIT,
  MAX_UNITS,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import type { Denials, Failures, Labels, MarksOf, Refundable } from "./common-options.ts";
import { type AlgorithmModel, type RefundModel, takes, waitingCost } from "./model.ts";
import { SLIDING_WINDOW_COUNTER as script } from "./scripts.generated.ts";
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

export type SlidingWindowCounterPolicy = PolicyOf<"sliding-window-counter", WindowData>;

/**
 * The count of the current window plus the previous one's, weighted by the share of it that the trailing window still
 * covers: 3 s into a 10 s window, 70 % of the previous count. Near exact on average; the worst trailing window holds
 * twice the limit. Two counts in Redis.
 *
 * @example
 * slidingWindowCounter({ limit: 30, window: "10s" })
 */
export function slidingWindowCounter<
  F extends Denials | Failures = never,
  R extends Refundable = never,
  Name extends string = string,
  By extends string = never,
  Has extends string = never,
>(
  options: WindowOptions<F, R> & Labels<Name, By, Has>,
): SlidingWindowCounterPolicy & MarksOf<F | R, Name, By, Has> {
  return madeOf(options, SLIDING_WINDOW_COUNTER);
}

interface SlidingWindowCounterParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** Time is weighed in whole ticks of this length. */
  readonly tickUs: number;
}

interface SlidingWindowCounterState {
  /** When the current window began. */
  readonly startUs: number;
  readonly previous: number;
  readonly current: number;
}

export const countSlidingWindowCounter: AlgorithmModel<
  SlidingWindowCounterParameters,
  SlidingWindowCounterState
> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { windowUs, tickUs } = parameters;
  const counts = countsAt(nowUs, windowUs, state);
  const { startUs, previous } = counts;
  let { current } = counts;
  const ticks = Math.ceil(windowUs / tickUs);
  const carried = previous * (ticks - Math.floor((nowUs - startUs) / tickUs));
  const fits = (units: number) => carried + (current + units) * ticks <= limit * ticks;

  const allowed = fits(cost);
  // Once the clock has stepped back, the counts are written even if nothing is taken.
  let kept = state && nowUs < state.startUs ? counts : state;
  if (takes(operation, allowed)) {
    current = Math.min(current + cost, MAX_UNITS + 1);
    kept = { startUs, previous, current };
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

function countsAt(
  nowUs: number,
  windowUs: number,
  state: SlidingWindowCounterState | undefined,
): SlidingWindowCounterState {
  const { startUs, previous, current } = state ?? { startUs: -Infinity, previous: 0, current: 0 };
  // The clock stepped back: all units become the previous window, which ends now.
  if (nowUs < startUs) {
    return { startUs: nowUs, previous: Math.min(previous + current, MAX_UNITS + 1), current: 0 };
  }
  if (nowUs < startUs + windowUs) return state!;
  if (nowUs < startUs + 2 * windowUs) {
    return { startUs: startUs + windowUs, previous: current, current: 0 };
  }
  return { startUs: nowUs - (nowUs % windowUs), previous: 0, current: 0 };
}

/** Only to the window that took the units, while it counts; nothing of the greatest count, beyond which charges were cut off. */
export const refundSlidingWindowCounter: RefundModel<
  SlidingWindowCounterParameters,
  SlidingWindowCounterState
> = (state, { nowUs, takenAtUs, cost, parameters: { windowUs } }) => {
  const { startUs } = state;
  const holds = startUs <= takenAtUs ? "current" : "previous";
  const beganUs = holds === "current" ? startUs : startUs - windowUs;
  const isInWindow = beganUs <= takenAtUs && takenAtUs < beganUs + windowUs;
  const isCounting = startUs <= nowUs && nowUs < beganUs + 2 * windowUs;
  const isSure = isInWindow && isCounting && state[holds] <= MAX_UNITS;
  const refunded = isSure ? Math.min(cost, state[holds]) : 0;
  return {
    refunded,
    state: refunded > 0 ? { ...state, [holds]: state[holds] - refunded } : state,
  };
};

/** Bytes of the state in Redis. */
export const slidingWindowCounterBytes = (): number => 21;

export const SLIDING_WINDOW_COUNTER: ImplementationOf<SlidingWindowCounterPolicy> =
  /* @__PURE__ */ defineAlgorithm<
    SlidingWindowCounterPolicy,
    WindowValues,
    SlidingWindowCounterParameters
  >({
    name: "sliding-window-counter",
    code: "c",
    layout: 3,
    maxLimit: MAX_LIMIT,
    options: { window: WINDOW },
    nameParts: windowNameParts,

    quotaOf: (limit, { window: windowUs }) => quotaOf(limit, windowUs),
    parameters: ["windowUs", "tickUs"],
    meaning: ({ windowUs }) => [lengthText(windowUs)],

    lease: {
      tighten: ({ limit, windowUs }, leaseUs) => quotaOf(limit, windowUs + leaseUs),
      maxUs: maxWindowLeaseUs,
    },
    partOf: partOfWindow,
    script,
  });

function quotaOf(limit: number, windowUs: number): Quota<SlidingWindowCounterParameters> {
  // The shortest tick that keeps 8 * limit * window / tick below 2^53: so products of counts that may fit are exact.
  const tickUs = Math.max(1, Math.ceil((8 * limit * windowUs) / 2 ** 53));
  return { limit, windowUs, parameters: { windowUs, tickUs } };
}
