import { type AlgorithmModel, takes, waitingCost } from "./algorithm.ts";

export interface FixedWindowState {
  /** When the counted window began, in microseconds. */
  readonly start: number;
  readonly used: number;
}

/** One count per window of `a` microseconds, on a grid of the clock. */
export const fixedWindow: AlgorithmModel<FixedWindowState> = (state, request) => {
  const { now, operation, cost, limit, a: window } = request;
  let { start, used } = state ?? { start: -Infinity, used: 0 };
  if (now - start >= window) {
    // A window that had left the grid, after the clock went back, is counted to its end before the grid's next begins.
    const ended = start + window;
    start = now - (now % window);
    if (start < ended) start += window;
    used = 0;
  }
  let kept = state;
  if (start - now > window) {
    // The clock went back: keep the count for one window at most.
    start = now + window;
    kept = { start, used };
  }
  const ends = start + window;

  const allowed = used + cost <= limit;
  if (takes(operation, allowed)) {
    used = Math.min(used + cost, Math.max(2 * limit, used));
    kept = { start, used };
  }

  return {
    allowed,
    remaining: Math.max(0, limit - used),
    retryAfter: used + waitingCost(request) > limit ? ends - now : 0,
    resetAfter: used > 0 ? ends - now : 0,
    state: kept,
  };
};
