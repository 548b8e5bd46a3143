import { type AlgorithmModel, takes, waitingCost } from "./algorithm.ts";

export interface SlidingWindowCounterState {
  /** When the current window began, in microseconds. */
  readonly start: number;
  readonly current: number;
  readonly previous: number;
}

/**
 * The count of the current window of `a` microseconds, plus the previous one weighted by the share of it that the
 * trailing window still covers, in ticks of `b` microseconds.
 */
export const slidingWindowCounter: AlgorithmModel<SlidingWindowCounterState> = (state, request) => {
  const { now, operation, cost, limit, a: window, b: tick } = request;
  let { start, current, previous } = state ?? { start: -Infinity, current: 0, previous: 0 };
  if (now - start >= 2 * window) {
    start = now - (now % window);
    current = previous = 0;
  } else if (now - start >= window) {
    start += window;
    previous = current;
    current = 0;
  }
  // Only a charge or a lowered limit leads to more, and more than twice the limit decides nothing more.
  current = Math.min(current, 2 * limit);
  previous = Math.min(previous, 2 * limit);
  let kept = state;
  if (start - now > window) {
    // The clock went back: keep the counts for one window at most.
    start = now + window;
    kept = { start, current, previous };
  }

  const ticks = Math.ceil(window / tick);
  const elapsed = now > start ? Math.floor((now - start) / tick) : 0;
  const carried = previous * (ticks - elapsed);
  const fits = (units: number) => carried + (current + units) * ticks <= limit * ticks;

  const allowed = fits(cost);
  if (takes(operation, allowed)) {
    current = Math.min(current + cost, 2 * limit);
    kept = { start, current, previous };
  }

  const wanted = waitingCost(request);
  let retryAfter = 0;
  if (!fits(wanted)) {
    // The tick at which what is carried over has shrunk to the room beside it: in this window, or in the next one,
    // where the current count is the one carried over.
    const next = current + wanted > limit;
    const room = (next ? limit - wanted : limit - current - wanted) * ticks;
    const shrunk = (ticks - Math.floor(room / (next ? current : previous))) * tick;
    retryAfter = start + (next ? window : 0) + Math.min(shrunk, window) - now;
  }
  const resetAfter =
    current > 0 ? start + 2 * window - now : previous > 0 ? start + window - now : 0;
  return {
    allowed,
    remaining: Math.max(0, limit - current - Math.ceil(carried / ticks)),
    retryAfter,
    resetAfter,
    state: kept,
  };
};
