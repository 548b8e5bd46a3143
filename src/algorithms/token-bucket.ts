import { type Duration, parseDuration } from "../options/duration.ts";
import { SLOW_REFILL } from "../options/messages.ts";
import {
  defineAlgorithm,
  IMPLEMENTATION,
  type ImplementationOf,
  MAX_LIMIT,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import type { CommonOptions } from "./common-options.ts";
import {
  type AlgorithmModel,
  type ModelRequest,
  type RefundModel,
  takes,
  waitingCost,
} from "./model.ts";
import { TOKEN_BUCKET as script } from "./scripts.generated.ts";
import { WINDOW_RANGE } from "./window.ts";

export interface TokenBucketOptions extends CommonOptions {
  /** Size of the bucket, which is the largest burst, in units. Range: 1 to 1,000,000,000. */
  readonly limit: number;
  /** Units that come back every `per`, continuously. Range: 1 to 1,000,000,000. */
  readonly refill: number;
  /**
   * The time in which `refill` units come back. An empty bucket must be full again within 366 days. Range: `"1ms"` to
   * `"366d"`.
   */
  readonly per: Duration;
}

export type TokenBucketPolicy = PolicyOf<"token-bucket", TokenBucketOptions>;

/**
 * A bucket of `limit` units that refills continuously (GCRA): a burst of `limit`, then the refill rate. In any span of
 * time w it admits at most `limit + rate * w`: with `limit: 20, refill: 10, per: "1s"`, 20 at once and 620 in a minute.
 * One number in Redis.
 *
 * @example
 * tokenBucket({ limit: 20, refill: 10, per: "1s" })
 */
export function tokenBucket(options: TokenBucketOptions): TokenBucketPolicy {
  return { ...options, algorithm: "token-bucket", [IMPLEMENTATION]: TOKEN_BUCKET };
}

interface TokenBucketValues {
  readonly refill: number;
  /** Microseconds. */
  readonly per: number;
}

/** One unit comes back every `intervalUs / divisor` microseconds: a fraction, so that any rate is exact. */
interface TokenBucketParameters extends Readonly<Record<string, number>> {
  readonly intervalUs: number;
  readonly divisor: number;
}

/** The theoretical arrival time (TAT), when the bucket is full again: `tatUs + rest / divisor` microseconds. */
interface TokenBucketState {
  readonly tatUs: number;
  readonly rest: number;
  /** Whether a charge led into debt: only then can more than the limit be used. */
  readonly debt: boolean;
  /** Whether a charge was cut at the deepest debt since the bucket was last full. */
  readonly cut: boolean;
  /** The setting with which it was written. */
  readonly limit: number;
  readonly parameters: TokenBucketParameters;
}

/**
 * GCRA in whole numbers: `used` is how far the arrival time lies ahead of now, in units of 1/divisor microsecond. The
 * names are those of the script, where `intervalUs` is `interval`. Formula: the virtual scheduling algorithm of ATM Forum
 * TM 4.0, with costs.
 */
const model: AlgorithmModel<TokenBucketParameters, TokenBucketState> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const found = state && read(state, request);
  const { setting = request, cut = false } = found ?? {};
  const unit = setting.parameters.intervalUs;
  const parts = setting.parameters.divisor;
  const capacity = limit * unit;
  let used = found?.used ?? 0;
  let kept = found?.repaired ? stateOf(nowUs, setting, used, cut) : state;

  const allowed = used + cost * unit <= capacity;
  if (isSame(setting, request) && takes(operation, allowed)) {
    const charged = used + cost * unit;
    used = Math.min(charged, 2 * capacity);
    kept = stateOf(nowUs, { limit, parameters }, used, cut || charged > used);
  }

  const excess = used + waitingCost(request) * unit - capacity;
  return {
    allowed,
    remaining: Math.max(0, Math.floor((capacity - used) / unit)),
    retryAfterUs: Math.max(0, Math.ceil(excess / parts)),
    resetAfterUs: Math.ceil(used / parts),
    state: kept,
  };
};

/** The numbers of a policy that decide how its state is written. */
interface Setting {
  readonly limit: number;
  readonly parameters: TokenBucketParameters;
}

interface Found {
  /** Under `setting`: the request's, or the written one while more units are used than the request's limit. */
  readonly used: number;
  readonly setting: Setting;
  readonly cut: boolean;
  /** Whether it has to be written even if nothing is taken. */
  readonly repaired: boolean;
}

/** The part of a state that has not refilled yet, as units of the request's setting where that has room for them. */
function read(
  state: TokenBucketState,
  request: ModelRequest<TokenBucketParameters>,
): Found | undefined {
  const { nowUs, operation, limit, parameters } = request;
  const { intervalUs, divisor } = state.parameters;
  const ahead = (state.tatUs - nowUs) * divisor + Math.min(state.rest, divisor);
  if (ahead <= 0) return undefined;
  const most = (state.debt ? 2 : 1) * state.limit * intervalUs;
  // Beyond its bound, the clock went back.
  const used = Math.min(ahead, most);
  const found = { used, setting: state, cut: state.cut, repaired: ahead > most };
  if (isSame(state, request)) return found;
  const times = state.debt || operation === "charge" ? 2 : 1;
  if (used > times * limit * intervalUs) return found;
  return {
    ...found,
    used: convert(used, intervalUs, parameters.intervalUs),
    setting: request,
    repaired: operation !== "peek",
  };
}

function isSame(one: Setting, other: Setting): boolean {
  return (
    one.limit === other.limit &&
    one.parameters.intervalUs === other.parameters.intervalUs &&
    one.parameters.divisor === other.parameters.divisor
  );
}

/** The same units at another rate, rounded up. A part of a unit becomes one unit at most. */
function convert(used: number, fromIntervalUs: number, toIntervalUs: number): number {
  if (fromIntervalUs === toIntervalUs) return used;
  const units = Math.floor(used / fromIntervalUs);
  const left = used - units * fromIntervalUs;
  // Rounded up by more than the rounding errors of the product.
  const converted = ((left * toIntervalUs) / fromIntervalUs) * (1 + 2 ** -50);
  return units * toIntervalUs + Math.min(Math.ceil(converted), toIntervalUs);
}

function stateOf(
  nowUs: number,
  { limit, parameters }: Setting,
  used: number,
  cut: boolean,
): TokenBucketState {
  const { intervalUs, divisor } = parameters;
  const tatUs = nowUs + Math.floor(used / divisor);
  return { tatUs, rest: used % divisor, debt: used > limit * intervalUs, cut, limit, parameters };
}

/**
 * Gives back time, in units of 1/divisor microsecond: the units, less the refill of the bucket since the take, at the
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
  if (back === 0) return { refunded: 0, state };
  const left = used - back;
  const tatUs = nowUs + Math.floor(left / parts);
  return {
    refunded: unit === intervalUs ? back : Math.floor((back / unit) * intervalUs),
    state: { ...state, tatUs, rest: left % parts, debt: left > full },
  };
};

/** Bytes of the state in Redis: 16 digits, and the setting, which is a little longer where a time is no whole number of microseconds. */
export const tokenBucketBytes = (limit: number): number => 16 + 12 + limit.toString(36).length;

export const TOKEN_BUCKET: ImplementationOf<TokenBucketPolicy> = /* @__PURE__ */ defineAlgorithm<
  TokenBucketPolicy,
  TokenBucketValues,
  TokenBucketParameters,
  TokenBucketState
>({
  name: "token-bucket",
  refillsEvenly: true,
  code: "b",
  layout: 1,
  maxLimit: MAX_LIMIT,
  options: { refill: { kind: "integer", max: MAX_LIMIT }, per: { kind: "duration" } },
  nameParts: ({ refill, per }) => [refill, "per", per],

  quotaOf(limit, { refill, per: perUs }, path, faults) {
    const quota = quotaOf(limit, intervalOf(limit, refill, perUs));
    if (quota.windowUs > parseDuration(WINDOW_RANGE.max)!) {
      faults.add(`${path}.limit`, limit, SLOW_REFILL, { refill, seconds: perUs / 1e6 });
    }
    return quota;
  },
  parameters: ["intervalUs", "divisor"],

  /** Twice the time to refill, which the deepest debt takes. */
  ttl: ({ windowUs }) => Math.ceil((2 * windowUs) / 1000) + 1,
  setting({ limit, parameters: { intervalUs, divisor } }, ttl) {
    const numbers = [ttl, limit, intervalUs, ...(divisor === 1 ? [] : [divisor])];
    // After a fault, they may be missing.
    return numbers.map((number) => `/${Number(number).toString(36)}`).join("");
  },

  lease: {
    /** Smaller by the refill of a lease. */
    tighten({ limit, parameters }, leaseUs) {
      const { intervalUs, divisor } = parameters;
      return quotaOf(limit - Math.ceil((leaseUs * divisor) / intervalUs), parameters);
    },
    /** Leaves at least half of the bucket, to gather the units that come back while no isolate asks for a lease. */
    maxUs: ({ limit, parameters: { intervalUs, divisor } }) =>
      (Math.floor(limit / 2) * intervalUs) / divisor,
  },
  /** Refills at this share of the rate, too. */
  scale({ parameters: { intervalUs, divisor } }, limit, { numerator, denominator }) {
    return quotaOf(limit, intervalOf(limit, divisor * numerator, intervalUs * denominator));
  },
  script,
  model,
});

function quotaOf(limit: number, parameters: TokenBucketParameters): Quota<TokenBucketParameters> {
  return { limit, windowUs: (limit * parameters.intervalUs) / parameters.divisor, parameters };
}

function intervalOf(limit: number, refill: number, perUs: number): TokenBucketParameters {
  const common = greatestCommonDivisor(perUs, refill);
  const exact = { intervalUs: perUs / common, divisor: refill / common };
  if (limit * exact.intervalUs < 2 ** 51) return exact;
  // The exact fraction does not fit: use one with a smaller divisor that does, off by at most 0.01 %. It is rounded up
  // by more than the rounding error of the product, so that never a unit too many comes back.
  const fewer = Math.max(1, Math.floor(((2 ** 50 / limit) * refill) / perUs));
  const divisor = Math.min(refill, fewer);
  const intervalUs = Math.ceil(((divisor * perUs) / refill) * (1 + 2 ** -50));
  return { intervalUs, divisor };
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
