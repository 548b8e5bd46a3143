import { type AlgorithmModel, takes, waitingCost } from "./model.ts";

export interface FixedWindowState {
  /** When the counted window ends, in microseconds. */
  readonly ends: number;
  /** The size of that window, as the policy's second parameter has it. */
  readonly size: number;
  readonly used: number;
}

/** One count per window of `a` microseconds, on a grid of the clock; `b` is the window's size in coarse steps. */
export const fixedWindow: AlgorithmModel<FixedWindowState> = (state, request) => {
  const { now, operation, cost, limit, a: window, b: size } = request;
  const boundary = now - (now % window) + window;
  let { ends, used } = state ?? { ends: -Infinity, used: 0 };
  let kept = state;
  if (now >= ends) {
    // A window off the grid is followed by another, or one more burst would fit in between.
    ends = now - ends < window && state!.size === size ? ends + window : boundary;
    used = 0;
  } else if (state!.size !== size) {
    // Another window: the count goes to the one of the new grid, and not limitHint the old one's end if that was longer.
    ends = state!.size < size ? boundary : Math.min(ends, boundary);
    kept = { ends, size, used };
  } else if (ends - now > window) {
    // The clock went back before the window's begin: it begins now.
    ends = now + window;
    kept = { ends, size, used };
  }

  const allowed = used + cost <= limit;
  if (takes(operation, allowed)) {
    used = Math.min(used + cost, Math.max(2 * limit, used));
    kept = { ends, size, used };
  }

  return {
    allowed,
    remaining: Math.max(0, limit - used),
    retryAfterUs: used + waitingCost(request) > limit ? ends - now : 0,
    resetAfterUs: used > 0 ? ends - now : 0,
    state: kept,
  };
};
