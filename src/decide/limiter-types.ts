import type { Decision } from "./decision.ts";

/** The types of what a call names: wide, unless the limiter's policies and plans are literal. */
export interface CallTypes {
  readonly identity: Identity;
  readonly cost: Cost;
  readonly plan: string;
}

/** The options of a call for one client. */
export interface LimitOptions<Of extends CallTypes = CallTypes> extends CostOptions<Of["cost"]> {
  /** The plan of this client: one of the limiter's `plans`. Default: the policies as they are. */
  readonly plan?: Of["plan"] | undefined;
}

/**
 * Several policies that are always decided together. Where their names, dimensions and plans are literal, the compiler checks those
 * that a call names.
 */
export interface Limiter<Of extends CallTypes = CallTypes> {
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
  limit(identity: Of["identity"], options?: LimitOptions<Of>): Promise<Decision>;

  /** Reports what `limit()` would decide now, without taking units. */
  peek(identity: Of["identity"], options?: LimitOptions<Of>): Promise<Decision>;

  /**
   * Takes a cost that is known only afterwards (LLM tokens, bytes), even if too few units remain. A policy goes into
   * debt: a window by all of it, for as long as it counts the units, and a bucket by at most its limit. `allowed` says whether it had room.
   *
   * @example
   * await limiter.charge("user:42", 812);
   */
  charge(
    identity: Of["identity"],
    cost: Of["cost"],
    options?: Omit<LimitOptions<Of>, "cost">,
  ): Promise<Decision>;

  /**
   * Restores the whole quota of this identity, under every plan. The quota that all clients share (`by: "*"`) stays, unless the identity
   * has a dimension `"*"`, with any value. Other isolates may repeat denials that they know for up to a minute.
   *
   * @throws StoreError if Redis did not confirm it
   * @throws TidegateError `ERR_IDENTITY`
   * @example
   * await limiter.reset({ account: "ada" });
   */
  reset(identity: Of["identity"], options?: Pick<LimitOptions<Of>, "plan">): Promise<void>;
}

/**
 * Quota units: one number for every policy, or a number for each policy by name. A policy that is not named costs 1. A
 * `concurrency()` counts no units: a hold takes one slot of it, or no slot if its cost by name is 0.
 */
export type Cost = number | Readonly<Record<string, number>>;

/** The options of a call that costs. */
export interface CostOptions<Costs = Cost> {
  /**
   * Quota units of this request: a whole number (0 takes none), or numbers by policy name, such as `{ tokens: 400 }`. A
   * policy in debt denies a cost of 0, too. A `concurrency()` gives one slot for any number. Default: 1 for every
   * policy.
   */
  readonly cost?: Costs | undefined;
}

/**
 * The client that is counted: a string, or, if policies have `by`, an object with a string for each dimension. A policy
 * whose dimension is absent or `undefined` takes no part in the decision; a dimension that no policy uses is ignored.
 * An object that is typed by an `interface` does not fit; use a `type`. The dimension `ip` is an address, and counts as
 * `clientKey()` makes it: IPv6 by its /64.
 *
 * @example
 * const client: Identity = { ip: "203.0.113.7", key: "k_123" };
 */
export type Identity = string | Dimensioned;
export type Dimensioned = Readonly<Record<string, string | undefined>>;
