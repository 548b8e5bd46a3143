import { type AlgorithmModel, type Request, takes, waitingCost } from "./model.ts";

/** The theoretical arrival time: `tat` microseconds and `rest` / divisor more. */
export interface TokenBucketState {
  readonly tat: number;
  readonly rest: number;
  /** Whether a charge has led into debt: only then can more than the limit be used. */
  readonly debt: boolean;
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
    const most = state.debt ? 2 * capacity : capacity;
    if (used > most) {
      // The clock went back, or the bucket has become smaller.
      used = most;
      kept = stateOf(request, used);
    }
  }

  const allowed = used + cost * interval <= capacity;
  if (takes(operation, allowed)) {
    used = Math.min(used + cost * interval, 2 * capacity);
    kept = stateOf(request, used);
  }

  const excess = used + waitingCost(request) * interval - capacity;
  return {
    allowed,
    remaining: Math.max(0, Math.floor((capacity - used) / interval)),
    retryAfterUs: Math.max(0, Math.ceil(excess / divisor)),
    resetAfterUs: Math.ceil(used / divisor),
    state: kept,
  };
};

function stateOf({ now, limit, a: interval, b: divisor }: Request, used: number): TokenBucketState {
  const tat = now + Math.floor(used / divisor);
  return { tat, rest: used % divisor, debt: used > limit * interval };
}
