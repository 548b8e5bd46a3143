import type { RefundModel } from "./model.ts";
import type { TokenBucketParameters, TokenBucketState } from "./token-bucket.ts";

/** Gives back time, in units of 1/divisor microsecond: the units, less what the bucket has refilled since the take. */
export const refundTokenBucket: RefundModel<TokenBucketParameters, TokenBucketState> = (
  state,
  { nowUs, takenAtUs, cost, limit, parameters },
) => {
  const { intervalUs, divisor } = parameters;
  const { written = parameters } = state;
  const same = written.intervalUs === intervalUs && written.divisor === divisor;
  const capacity = limit * intervalUs;
  const passed = (nowUs - takenAtUs) * divisor;
  const used = (state.tatUs - nowUs) * divisor + Math.min(state.rest, divisor);
  // Beyond its bound, `used` is cut, or was.
  const sure = same && used + passed < 2 * capacity && (state.debt || used <= capacity);
  const given = sure ? Math.max(0, Math.min(used, cost * intervalUs - passed)) : 0;
  if (given === 0) return { given, state };
  const left = used - given;
  const tatUs = nowUs + Math.floor(left / divisor);
  return { given, state: { ...state, tatUs, rest: left % divisor, debt: left > capacity } };
};
