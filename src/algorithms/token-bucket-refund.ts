import type { RefundModel } from "./model.ts";
import type { TokenBucketParameters, TokenBucketState } from "./token-bucket.ts";

/**
 * Gives back time, in units of 1/divisor microsecond: the units, less what the bucket has refilled since the take, at the
 * faster of the two rates if it was written with another setting since.
 */
export const refundTokenBucket: RefundModel<TokenBucketParameters, TokenBucketState> = (
  state,
  { nowUs, takenAtUs, cost, limit, parameters },
) => {
  const { intervalUs: unit, divisor: parts } = state.parameters;
  const { intervalUs, divisor } = parameters;
  const passedUs = nowUs - takenAtUs;
  const here = passedUs * parts;
  const own = Math.ceil(((passedUs * divisor) / intervalUs) * unit * (1 + 2 ** -50));
  const refilled = unit === intervalUs && parts === divisor ? here : Math.max(here, own);
  const used = (state.tatUs - nowUs) * parts + Math.min(state.rest, parts);
  const full = state.limit * unit;
  // Beyond its bound, the clock went back.
  const isBounded = used <= (state.debt ? 2 : 1) * full;
  // A charge that was cut since took less than it cost.
  const sure = isBounded && (!state.cut || used + refilled < 2 * Math.min(full, limit * unit));
  const back = sure ? Math.max(0, Math.min(used, cost * unit - refilled)) : 0;
  if (back === 0) return { given: 0, state };
  const left = used - back;
  const tatUs = nowUs + Math.floor(left / parts);
  return {
    given: unit === intervalUs ? back : Math.floor((back / unit) * intervalUs),
    state: { ...state, tatUs, rest: left % parts, debt: left > full },
  };
};
