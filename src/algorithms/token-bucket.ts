import { type Duration, parseDuration } from "../options/duration.ts";
import {
  defineAlgorithm,
  IMPLEMENTATION,
  MAX_LIMIT,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import type { CommonOptions } from "./common-options.ts";
import { type AlgorithmModel, type ModelRequest, takes, waitingCost } from "./model.ts";
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
export type TokenBucketParameters = Readonly<Record<string, number>> & {
  readonly intervalUs: number;
  readonly divisor: number;
  /** Whether what was consumed counts in units, not in time, when the rate changes. */
  readonly keepsUnits?: 1;
};

/** The theoretical arrival time (TAT), when the bucket is full again: `tatUs + rest / divisor` microseconds. */
export interface TokenBucketState {
  readonly tatUs: number;
  readonly rest: number;
  /** Whether a charge led into debt: only then can more than the limit be used. */
  readonly debt: boolean;
  /** The parameters with which a bucket that keeps units wrote it. */
  readonly written?: TokenBucketParameters;
}

/**
 * GCRA in whole numbers: `used` is how far the arrival time lies ahead of now, in units of 1/divisor microsecond. The
 * names are those of the script, where `intervalUs` is `interval`. Formula: the virtual scheduling algorithm of ATM Forum
 * TM 4.0, with costs.
 */
const model: AlgorithmModel<TokenBucketParameters, TokenBucketState> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters } = request;
  const { intervalUs, divisor, keepsUnits } = parameters;
  const capacity = limit * intervalUs;
  let kept = state;
  let used = 0;
  if (state) {
    const { written = parameters } = keepsUnits ? state : {};
    const changed = written.intervalUs !== intervalUs || written.divisor !== divisor;
    used = (state.tatUs - nowUs) * written.divisor + Math.min(state.rest, written.divisor);
    if (changed) used = convert(used, written.intervalUs, intervalUs);
    used = Math.max(0, used);
    const most = state.debt ? 2 * capacity : capacity;
    if (used > most || (changed && used > 0)) {
      // The clock stepped back, the bucket has become smaller, or its rate has changed.
      used = Math.min(used, most);
      kept = stateOf(request, used);
    }
  }

  const allowed = used + cost * intervalUs <= capacity;
  if (takes(operation, allowed)) {
    used = Math.min(used + cost * intervalUs, 2 * capacity);
    kept = stateOf(request, used);
  }

  const excess = used + waitingCost(request) * intervalUs - capacity;
  return {
    allowed,
    remaining: Math.max(0, Math.floor((capacity - used) / intervalUs)),
    retryAfterUs: Math.max(0, Math.ceil(excess / divisor)),
    resetAfterUs: Math.ceil(used / divisor),
    state: kept,
  };
};

/** The same units at another rate, rounded up. What is less than a unit stays at most one. */
function convert(used: number, fromIntervalUs: number, toIntervalUs: number): number {
  const units = Math.floor(used / fromIntervalUs);
  const left = used - units * fromIntervalUs;
  // Rounded up by more than the rounding errors of the product.
  const part = ((left * toIntervalUs) / fromIntervalUs) * (1 + 2 ** -50);
  return units * toIntervalUs + Math.min(Math.ceil(part), toIntervalUs);
}

function stateOf(
  { nowUs, limit, parameters }: ModelRequest<TokenBucketParameters>,
  used: number,
): TokenBucketState {
  const { intervalUs, divisor, keepsUnits } = parameters;
  const tatUs = nowUs + Math.floor(used / divisor);
  const state = { tatUs, rest: used % divisor, debt: used > limit * intervalUs };
  return keepsUnits ? { ...state, written: parameters } : state;
}

export const TOKEN_BUCKET = defineAlgorithm<
  TokenBucketValues,
  TokenBucketParameters,
  TokenBucketState
>({
  name: "token-bucket",
  code: "b",
  maxLimit: MAX_LIMIT,
  options: { refill: { kind: "integer", max: MAX_LIMIT }, per: { kind: "duration" } },
  nameParts: ({ refill, per }) => [refill, "per", per],

  quotaOf(limit, { refill, per: perUs }, path, faults) {
    const quota = quotaOf(limit, intervalOf(limit, refill, perUs));
    if (quota.windowUs > parseDuration(WINDOW_RANGE.max)!) {
      faults.add(
        `${path}.limit`,
        limit,
        `At ${refill} per ${perUs / 1e6} s the bucket would take more than 366 days to refill: lower the limit or raise the refill.`,
      );
    }
    return quota;
  },
  parameters: ["intervalUs", "divisor"],

  /**
   * Twice the time to refill, which the deepest debt takes; with a divisor of 1, as a class; negative if the bucket keeps
   * units (see the script).
   */
  ttl({ windowUs, parameters: { divisor, keepsUnits } }) {
    const ttlMs = Math.ceil((2 * windowUs) / 1000) + 1;
    if (keepsUnits) return -ttlMs;
    return divisor > 1 ? ttlMs : Math.max(101, Math.ceil(Math.log(ttlMs) / Math.log(1.03)));
  },

  keepUnits,

  lease: {
    /** Smaller by what comes back within a lease. */
    tighten({ limit, parameters }, leaseUs) {
      const { intervalUs, divisor } = parameters;
      return quotaOf(limit - Math.ceil((leaseUs * divisor) / intervalUs), parameters);
    },
    /** Leaves at least half of the bucket, to gather the units that come back while no isolate asks for a lease. */
    maxUs: ({ limit, parameters: { intervalUs, divisor } }) =>
      (Math.floor(limit / 2) * intervalUs) / divisor,
  },
  /** Refills at this share of the rate, too. */
  scale({ parameters: { intervalUs, divisor, keepsUnits } }, limit, { part, whole }) {
    const quota = quotaOf(limit, intervalOf(limit, divisor * part, intervalUs * whole));
    return keepsUnits ? keepUnits(quota) : quota;
  },
  script,
  model,
});

function quotaOf(limit: number, parameters: TokenBucketParameters): Quota<TokenBucketParameters> {
  return { limit, windowUs: (limit * parameters.intervalUs) / parameters.divisor, parameters };
}

/** With a divisor of at least 2, as the script takes it. With a divisor of 1, an interval is far from its bound. */
function keepUnits({
  limit,
  parameters: { intervalUs, divisor },
}: Quota<TokenBucketParameters>): Quota<TokenBucketParameters> {
  const factor = divisor === 1 ? 2 : 1;
  const rate = { intervalUs: factor * intervalUs, divisor: factor * divisor };
  return quotaOf(limit, { ...rate, keepsUnits: 1 });
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
