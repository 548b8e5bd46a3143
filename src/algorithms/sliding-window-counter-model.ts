import { type AlgorithmModel, takes, waitingCost } from "./model.ts";

export interface SlidingWindowCounterState {
  /** When the current window began, in microseconds. */
  readonly start: number;
  /** Of the window, in milliseconds, rounded up. */
  readonly length: number;
  readonly current: number;
  readonly previous: number;
}

/**
 * The count of the current window of `a` microseconds, plus the previous one weighted by the share of it that the
 * trailing window still covers, in ticks of `b` microseconds.
 */
export const slidingWindowCounter: AlgorithmModel<SlidingWindowCounterState> = (state, request) => {
  const { now, operation, cost, limit, a: window, b: tick } = request;
  const length = Math.ceil(window / 1000);
  const moved = state && (state.start > now || state.length !== length);
  const ended = moved ? endWindow(state, now) : undefined;
  const healed = ended && ended.previous > 0 && now - ended.start < window ? ended : undefined;
  const before = moved ? healed : state;
  let { start, current, previous } = before ?? { start: -Infinity, current: 0, previous: 0 };
  if (now - start >= 2 * window) {
    start = now - (now % window);
    current = previous = 0;
  } else if (now - start >= window) {
    start += window;
    previous = current;
    current = 0;
  }
  // More than twice the limit decides nothing more.
  current = Math.min(current, 2 * limit);
  previous = Math.min(previous, 2 * limit);
  let kept = healed ? { start, length, current, previous } : state;

  const ticks = Math.ceil(window / tick);
  const elapsed = Math.floor((now - start) / tick);
  const carried = previous * (ticks - elapsed);
  const fits = (units: number) => carried + (current + units) * ticks <= limit * ticks;

  const allowed = fits(cost);
  if (takes(operation, allowed)) {
    current = Math.min(current + cost, 2 * limit);
    kept = { start, length, current, previous };
  }

  const wanted = waitingCost(request);
  let retryAfterUs = 0;
  if (!fits(wanted)) {
    // The tick at which what is carried over has shrunk to the room beside it: in this window, or in the next one,
    // where the current count is the one carried over.
    const next = current + wanted > limit;
    const room = (next ? limit - wanted : limit - current - wanted) * ticks;
    const shrunk = (ticks - Math.floor(room / (next ? current : previous))) * tick;
    retryAfterUs = start + (next ? window : 0) + Math.min(shrunk, window) - now;
  }
  const resetAfterUs =
    current > 0 ? start + 2 * window - now : previous > 0 ? start + window - now : 0;
  return {
    allowed,
    remaining: Math.max(0, limit - current - Math.ceil(carried / ticks)),
    retryAfterUs,
    resetAfterUs,
    state: kept,
  };
};

/**
 * Where the clock went back, or the window is another than it was: what still counts becomes the previous window, which
 * has ended at the latest moment at which any of it can have been taken.
 */
function endWindow(
  { start, length, current, previous }: SlidingWindowCounterState,
  now: number,
): { readonly start: number; readonly current: 0; readonly previous: number } {
  const old = length * 1000;
  const elapsed = now - start;
  if (elapsed >= old) {
    return { start: start + old, current: 0, previous: elapsed < 2 * old ? current : 0 };
  }
  if (current === 0) return { start: Math.min(start, now), current, previous };
  const weight = elapsed > 0 ? (old - elapsed) / old : 1;
  return { start: now, current: 0, previous: current + Math.ceil(previous * weight) };
}
