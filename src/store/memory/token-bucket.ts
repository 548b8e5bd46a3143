import { type AlgorithmModel, takes, waitingCost } from "./algorithm.ts";

/** The theoretical arrival time: `tat` microseconds and `rest` / divisor more. */
export interface TokenBucketState {
  readonly tat: number;
  readonly rest: number;
}

/**
 * GCRA in whole numbers. `a`/`b` microseconds bring one unit back; `used` is how far the arrival time lies ahead of
 * now, in 1/b microseconds. Formula: ATM Forum TM 4.0's virtual scheduling, with costs.
 */
export const tokenBucket: AlgorithmModel<TokenBucketState> = (state, request) => {
  const { now, operation, cost, limit, a: interval, b: divisor } = request;
  const capacity = limit * interval;
  let kept = state;
  let used = 0;
  if (state) {
    used = Math.max(0, (state.tat - now) * divisor + Math.min(state.rest, divisor));
    if (used > 2 * capacity) {
      // The clock went back: it cannot lock out for longer than the deepest debt does.
      used = 2 * capacity;
      kept = { tat: now + Math.ceil(used / divisor), rest: 0 };
    }
  }

  const allowed = used + cost * interval <= capacity;
  if (takes(operation, allowed)) {
    used = Math.min(used + cost * interval, 2 * capacity);
    kept = { tat: now + Math.floor(used / divisor), rest: used % divisor };
  }

  const excess = used + waitingCost(request) * interval - capacity;
  return {
    allowed,
    remaining: Math.max(0, Math.floor((capacity - used) / interval)),
    retryAfter: Math.max(0, Math.ceil(excess / divisor)),
    resetAfter: Math.ceil(used / divisor),
    state: kept,
  };
};
