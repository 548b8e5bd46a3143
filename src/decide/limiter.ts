import type { NotHolding } from "../algorithms/common-options.ts";
import type { Duration } from "../options/duration.ts";
import type { Cost, CostOptions } from "./cost.ts";
import type { Decision } from "./decision.ts";
import type { Hold } from "./hold.ts";
import type { Identity } from "./identify.ts";

/** The options of a call for one client. */
export interface LimitOptions extends CostOptions {
  /** The plan of this client: one of the limiter's `plans`. Default: the policies as they are. */
  readonly plan?: string | undefined;
}

/** Several policies that are always decided together. */
export interface Limiter {
  /**
   * Decides a request of this identity. It takes the cost if every policy has room, and otherwise no units.
   *
   * It always resolves with a decision: if Redis does not answer, each policy's `onFailure` decides.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`, `ERR_PLAN`
   * @example
   * const decision = await limiter.limit("user:42", { cost: 3 });
   * if (!decision.allowed) return decision.response();
   * @example
   * // Policies with `by`, of which "tokens" costs more than one:
   * await limiter.limit({ ip: "203.0.113.7", key: "k_123" }, { cost: { tokens: 400 } });
   */
  limit(identity: Identity, options?: LimitOptions): Promise<Decision>;

  /** Reports what `limit()` would decide now, without taking units. */
  peek(identity: Identity, options?: LimitOptions): Promise<Decision>;

  /**
   * Takes a cost that is known only afterwards (LLM tokens, bytes), even if too few units remain. A policy goes into
   * debt: a window by all of it, for as long as it counts the units, and a bucket by at most its limit. `allowed` says whether it had room.
   *
   * @example
   * await limiter.charge("user:42", 812);
   */
  charge(identity: Identity, cost: Cost, options?: Omit<LimitOptions, "cost">): Promise<Decision>;

  /**
   * Restores the whole quota of this identity, under every plan. The quota that all clients share (`by: "*"`) stays, unless the identity
   * has a dimension `"*"`, with any value. Other isolates may repeat denials that they know for up to a minute.
   *
   * @throws StoreError if Redis did not confirm it
   * @throws TidegateError `ERR_IDENTITY`
   * @example
   * await limiter.reset({ account: "ada" });
   */
  reset(identity: Identity, options?: Pick<LimitOptions, "plan">): Promise<void>;
}

/** A limiter with a policy that gives something back: units of holds, slots, or units of requests that did not fail. */
export interface ReservingLimiter extends Limiter, Reserve {}

/** A limiter of these policies: it has `reserve()`, unless all of them are known to give nothing back. */
export type LimiterOf<Of> = [Of] extends [NotHolding] ? Limiter : ReservingLimiter;

/** The options of `reserve()`. */
export interface ReserveOptions extends LimitOptions {
  /**
   * How long the hold keeps its slots of `concurrency` policies if it is neither settled nor extended; at most each policy's
   * own `ttl`. Range: `"1s"` to `"24h"`. Default: the policy's `ttl`.
   */
  readonly ttl?: Duration | undefined;
}

/** The operations that holds add to a limiter. */
export interface Reserve {
  /**
   * As `limit()`, for a cost that is known only afterwards: takes an estimate now, and `settle()` of the hold corrects
   * it. Unlike `charge()` afterwards, it does not let a concurrent request use reserved units. Policies with
   * `refundable()` give unused units back.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`, `ERR_PLAN`, `ERR_HOLD`
   * @example
   * const hold = await limiter.reserve("user:42", { cost: { tokens: 4000 } });
   * if (!hold.allowed) return hold.response();
   * await hold.settle({ tokens: 812 });
   */
  reserve(identity: Identity, options?: ReserveOptions): Promise<Hold>;
}
