import { defineAlgorithm, IMPLEMENTATION, MAX_LIMIT, type PolicyOf } from "./algorithm.ts";
import { type AlgorithmModel, takes, waitingCost } from "./model.ts";
import { SLIDING_WINDOW_COUNTER as script } from "./scripts.generated.ts";
import {
  scaleWindow,
  WINDOW,
  windowNameParts,
  type WindowOptions,
  windowQuota,
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

export interface SlidingWindowCounterParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** Time is weighed in whole ticks of this length. */
  readonly tickUs: number;
}

export interface SlidingWindowCounterState {
  /** When the current window began. */
  readonly startUs: number;
  /** The window's length, rounded up. */
  readonly lengthMs: number;
  readonly current: number;
  readonly previous: number;
}

const model: AlgorithmModel<SlidingWindowCounterParameters, SlidingWindowCounterState> = (
  state,
  request,
) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { windowUs, tickUs } = parameters;
  const lengthMs = Math.ceil(windowUs / 1000);
  const moved = state && (state.startUs > nowUs || state.lengthMs !== lengthMs);
  const ended = moved ? endWindow(state, nowUs) : undefined;
  const healed =
    ended && ended.previous > 0 && nowUs - ended.startUs < windowUs ? ended : undefined;
  const before = moved ? healed : state;
  let { startUs, current, previous } = before ?? { startUs: -Infinity, current: 0, previous: 0 };
  if (nowUs - startUs >= 2 * windowUs) {
    startUs = nowUs - (nowUs % windowUs);
    current = previous = 0;
  } else if (nowUs - startUs >= windowUs) {
    startUs += windowUs;
    previous = current;
    current = 0;
  }
  const ticks = Math.ceil(windowUs / tickUs);
  // More than twice the limit was taken under a higher one, which may come back, so that as much is kept as products below
  // 2^53 and the script's four bytes allow: at least twice the limit, which ticks rounded up can make a little more than
  // 2^51 / ticks.
  const most = Math.max(2 * limit, Math.min(Math.floor(2 ** 51 / ticks), 2 ** 32 - 1));
  current = Math.min(current, most);
  previous = Math.min(previous, most);
  let kept = healed ? { startUs, lengthMs, current, previous } : state;

  const elapsed = Math.floor((nowUs - startUs) / tickUs);
  const carried = previous * (ticks - elapsed);
  const fits = (units: number) => carried + (current + units) * ticks <= limit * ticks;

  const allowed = fits(cost);
  if (takes(operation, allowed)) {
    current = Math.max(current, Math.min(current + cost, 2 * limit));
    kept = { startUs, lengthMs, current, previous };
  }

  const wanted = waitingCost(request);
  let retryAfterUs = 0;
  if (!fits(wanted)) {
    // The tick at which what is carried over has shrunk to the room beside it: in this window, or in the next one,
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

/**
 * After a clock step back or a changed window, what still counts becomes the previous window, which ended at the latest
 * moment at which any of it can have been taken.
 */
function endWindow(
  { startUs, lengthMs, current, previous }: SlidingWindowCounterState,
  nowUs: number,
): { readonly startUs: number; readonly current: 0; readonly previous: number } {
  const oldUs = lengthMs * 1000;
  const elapsedUs = nowUs - startUs;
  if (elapsedUs >= oldUs) {
    return {
      startUs: startUs + oldUs,
      current: 0,
      previous: elapsedUs < 2 * oldUs ? current : 0,
    };
  }
  if (current === 0) return { startUs: Math.min(startUs, nowUs), current, previous };
  const weight = elapsedUs > 0 ? (oldUs - elapsedUs) / oldUs : 1;
  return { startUs: nowUs, current: 0, previous: current + Math.ceil(previous * weight) };
}

export const SLIDING_WINDOW_COUNTER = defineAlgorithm<
  WindowValues,
  SlidingWindowCounterParameters,
  SlidingWindowCounterState
>({
  name: "sliding-window-counter",
  code: "c",
  layout: 1,
  maxLimit: MAX_LIMIT,
  options: { window: WINDOW },
  nameParts: windowNameParts,

  ...windowQuota((limit, windowUs) => ({
    windowUs,
    // The shortest tick that keeps 8 * limit * window / tick below 2^53, so that weighted products stay exact.
    tickUs: Math.max(1, Math.ceil((8 * limit * windowUs) / 2 ** 53)),
  })),
  parameters: ["windowUs", "tickUs"],
  ttl: () => 0,
  scale: scaleWindow,
  script,
  model,
});
