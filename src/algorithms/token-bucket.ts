import { type Duration, parseDuration } from "../options/duration.ts";
import { SLOW_REFILL } from "../options/messages.ts";
import {
  defineAlgorithm,
  type ImplementationOf,
  madeOf,
  MAX_LIMIT,
  type PolicyOf,
  type Quota,
} from "./algorithm.ts";
import type {
  CommonOptions,
  Denials,
  Failures,
  Labels,
  MarksOf,
  PolicyOptions,
  Refundable,
} from "./common-options.ts";
import {
  type AlgorithmModel,
  type ModelRequest,
  type RefundModel,
  takes,
  waitingCost,
} from "./model.ts";
import { intervalOf, type Rate } from "./rate.ts";
import { TOKEN_BUCKET as script } from "./scripts.generated.ts";
import { WINDOW_RANGE } from "./window.ts";

interface TokenBucketNumbers {
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

/** The options of `tokenBucket()`. */
export type TokenBucketOptions<
  F extends Denials | Failures = Denials | Failures,
  R extends Refundable = Refundable,
> = TokenBucketNumbers & PolicyOptions<F, R>;

export type TokenBucketPolicy = PolicyOf<"token-bucket", TokenBucketNumbers & CommonOptions>;

/**
 * A bucket of `limit` units that refills continuously (GCRA): a burst of `limit`, then the refill rate. In any span of
 * time w it admits at most `limit + rate * w`: with `limit: 20, refill: 10, per: "1s"`, 20 at once and 620 in a minute.
 * Redis keeps two numbers, how much is used and when it was written, with the rate and the end of the key: 34 bytes.
 *
 * @example
 * tokenBucket({ limit: 20, refill: 10, per: "1s" })
 */
export function tokenBucket<
  F extends Denials | Failures = never,
  R extends Refundable = never,
  Name extends string = string,
  By extends string = never,
  Has extends string = never,
>(
  options: TokenBucketOptions<F, R> & Labels<Name, By, Has>,
): TokenBucketPolicy & MarksOf<F | R, Name, By, Has> {
  return madeOf(options, TOKEN_BUCKET);
}

interface TokenBucketValues {
  readonly refill: number;
  /** Microseconds. */
  readonly per: number;
}

interface TokenBucketState extends Rate {
  /** When it was written. */
  readonly atUs: number;
  /** The time that the bucket then needed to be full again, in units of 1/divisor microsecond. */
  readonly used: number;
}

/**
 * In whole numbers: a cost of c adds c * intervalUs to `used`, and the bucket is empty at limit * intervalUs. This is GCRA:
 * `atUs + used / divisor` is its theoretical arrival time.
 */
export const countTokenBucket: AlgorithmModel<Rate, TokenBucketState> = (state, request) => {
  const { nowUs, operation, cost, limit } = request;
  const found = usedBy(state, request);
  const { intervalUs, divisor } = found;
  let { used } = found;
  const capacity = limit * intervalUs;

  const allowed = used + cost * intervalUs <= capacity;
  const isTaken = takes(operation, allowed);
  if (isTaken) {
    // A charge may lead into debt by the limit, and forgets nothing that a higher limit has used.
    used = Math.max(used, Math.min(used + cost * intervalUs, 2 * capacity));
  }
  const isAhead = state !== undefined && state.atUs > nowUs;
  const isConverted = state !== undefined && !isSameRate(state, found) && used > 0;
  const isWritten = isTaken || isAhead || (isConverted && operation !== "peek");
  const missing = used + waitingCost(request) * intervalUs - capacity;
  return {
    allowed,
    remaining: Math.max(0, Math.floor((capacity - used) / intervalUs)),
    retryAfterUs: Math.max(0, Math.ceil(missing / divisor)),
    resetAfterUs: Math.ceil(used / divisor),
    state: isWritten ? { atUs: nowUs, used, intervalUs, divisor } : state,
  };
};

/** The used units at the rate of a request; at the written rate, while that is more than its limit. */
function usedBy(
  state: TokenBucketState | undefined,
  { nowUs, limit, parameters }: ModelRequest<Rate>,
): Rate & { readonly used: number } {
  const { intervalUs, divisor } = parameters;
  if (!state) return { used: 0, intervalUs, divisor };
  const used = usedAt(nowUs, state);
  if (isSameRate(state, parameters) || used > limit * state.intervalUs) return { ...state, used };
  const units = Math.floor(used / state.intervalUs);
  // A part of a unit is rounded up, by more than the rounding errors of the product.
  const rest = used - units * state.intervalUs;
  const part = Math.ceil(((rest * intervalUs) / state.intervalUs) * (1 + 2 ** -50));
  return { used: units * intervalUs + Math.min(part, intervalUs), intervalUs, divisor };
}

/** When the clock goes back behind the state, no time has passed. */
function usedAt(nowUs: number, { atUs, used, divisor }: TokenBucketState): number {
  return Math.max(0, used - Math.max(0, nowUs - atUs) * divisor);
}

const isSameRate = (one: Rate, other: Rate) =>
  one.intervalUs === other.intervalUs && one.divisor === other.divisor;

/**
 * Gives back time, in units of 1/divisor microsecond: the units, less the refill of the bucket since the take. Where a charge may
 * have been cut off since, or another rate has counted, nothing comes back.
 */
export const refundTokenBucket: RefundModel<Rate, TokenBucketState> = (
  state,
  { nowUs, takenAtUs, cost, limit, parameters },
) => {
  const { intervalUs, divisor } = parameters;
  const refilled = (nowUs - takenAtUs) * divisor;
  const used = usedAt(nowUs, state);
  const isSure =
    state.atUs <= nowUs &&
    isSameRate(state, parameters) &&
    used + refilled < 2 * limit * intervalUs;
  const refunded = isSure ? Math.max(0, Math.min(used, cost * intervalUs - refilled)) : 0;
  return {
    refunded,
    state: refunded > 0 ? { ...state, atUs: nowUs, used: used - refunded } : state,
  };
};

/** Bytes of the state in Redis. */
export const tokenBucketBytes = (): number => 34;

export const TOKEN_BUCKET: ImplementationOf<TokenBucketPolicy> = /* @__PURE__ */ defineAlgorithm<
  TokenBucketPolicy,
  TokenBucketValues,
  Rate
>({
  name: "token-bucket",
  refillsEvenly: true,
  code: "b",
  layout: 2,
  maxLimit: MAX_LIMIT,
  options: { refill: { kind: "integer", max: MAX_LIMIT }, per: { kind: "duration" } },
  nameParts: ({ refill, per }) => [refill, "per", per],

  quotaOf(limit, { refill, per: perUs }, path, faults) {
    const quota = quotaOf(limit, intervalOf(refill, perUs));
    if (quota.windowUs > parseDuration(WINDOW_RANGE.max)!) {
      faults.add(`${path}.limit`, limit, SLOW_REFILL, { refill, seconds: perUs / 1e6 });
    }
    return quota;
  },
  parameters: ["intervalUs", "divisor"],

  // The rate stands in the state: it is what plans and changes of a bucket are about.
  meaning: () => [],

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
  /** Refills at this part of the rate, too. */
  partOf({ parameters: { intervalUs, divisor } }, limit, shards) {
    return quotaOf(limit, intervalOf(divisor, intervalUs * shards));
  },
  script,
});

function quotaOf(limit: number, parameters: Rate): Quota<Rate> {
  return { limit, windowUs: (limit * parameters.intervalUs) / parameters.divisor, parameters };
}
