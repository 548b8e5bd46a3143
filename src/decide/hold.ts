import type { NotHolding } from "../algorithms/common-options.ts";
import type { Duration } from "../options/duration.ts";
import type { StoreError } from "../options/errors.ts";
import type { MadeBy } from "../options/option-value.ts";
import type { CallTypesOf } from "./call-types.ts";
import type { Decision } from "./decision.ts";
import type { CallTypes, Cost, LimitOptions, Limiter } from "./limiter-types.ts";

/**
 * A decision whose cost is settled later: `reserve()` takes an estimate, and `settle()` corrects it. A hold that is
 * never settled keeps its estimate. A denied hold took no units and needs no settlement.
 */
export interface Hold extends Decision {
  /**
   * Reserved units of `refundable` policies, by policy: `{ tokens: 4000 }`. This is the most that can come back. Empty
   * for a denied hold, and if no policy is `refundable`.
   */
  readonly reserved: Readonly<Record<string, number>>;

  /**
   * Units that the hold took of every policy, by policy, also of those that give none back: `{ requests: 1, tokens: 4000 }`.
   * Slots of `concurrency` policies are no units, and those of `failures()` are settled by the response. Empty for a
   * denied hold.
   */
  readonly taken: Readonly<Record<string, number>>;

  /**
   * Replaces the reservation by the actual cost. Unused units of `refundable` policies go back to their source; units
   * beyond the reservation are charged, even into debt (see `charge()`). A policy that `cost` does not name keeps its
   * reservation; without a cost, every policy does.
   *
   * Only the first settlement counts, and it frees the slots of `concurrency` policies: a second `settle()` or
   * `release()` has no effect and resolves with the same result. After the status `not-sent`, however, a second call
   * sends the settlement again. It never rejects because of Redis. It may come at any time: units of a past window have
   * come back already, and no unit comes back twice.
   *
   * A number is the cost of every policy: a policy that is not `refundable` is charged the difference, and gives no
   * units back. Name the policies if they count different units.
   *
   * @throws TidegateError `ERR_COST`; `ERR_HOLD` if the cost of a policy without `refundable` is below its reservation
   * @example
   * const hold = await limiter.reserve("user:42", { cost: { tokens: 4000 } });
   * // ... the answer took 812 tokens
   * await hold.settle({ tokens: 812 });
   */
  settle(cost?: Cost): Promise<Settlement>;

  /** Gives back all reserved units of `refundable` policies, as if the request had not come. */
  release(): Promise<Settlement>;

  /**
   * Keeps the hold's slots of `concurrency` policies for longer: each expires after `ttl` from now, at most after its
   * policy's `ttl`. It does not retake an expired slot, and does not extend other holds. It never rejects because of
   * Redis.
   *
   * @param ttl Range: `"1s"` to `"24h"`. Default: the policy's `ttl`
   * @throws TidegateError `ERR_HOLD` for a wrong `ttl`
   * @example
   * const { status } = await hold.extend("60s");
   * if (status === "expired") socket.close();
   */
  extend(ttl?: Duration): Promise<Extension>;

  /**
   * Settles the hold when this response's body has ended, was cancelled by the client, or failed. Returns the response
   * to send instead: the same status, header fields and bytes, each passed on at once.
   *
   * With a `usage`, such as the one of `tidegate/llm`, it settles at the cost that the response reports; without, at
   * the reservation. Either frees the slots of `concurrency` policies.
   *
   * Until then, each chunk that passes extends these slots. No timer does, so a body that stalls for a whole `ttl`
   * loses them. A response of status 101 has no body. It is returned as it is, and a hold with slots is left to you:
   * settle it when the socket closes.
   *
   * @throws TypeError if the body is already being read
   * @example
   * import { usage } from "tidegate/llm";
   *
   * return hold.stream(await fetch(model, request), {
   *   usage,
   *   cost: ({ totalTokens }) => ({ tokens: totalTokens }),
   *   waitUntil: (promise) => ctx.waitUntil(promise),
   * });
   */
  stream<Options>(response: Response, options: WithUsage<Options>): Response;
  stream(response: Response, options?: StreamOptions): Response;
}

/** The result of `extend()`. */
export interface Extension {
  /**
   * `extended`, also if there are no slots to extend; `expired` if one of them has expired, or the hold is settled or
   * denied; `unknown` if Redis gave no answer: call it again, which is safe.
   */
  readonly status: "extended" | "expired" | "unknown";
  /** The store's error, if the status is `unknown`. */
  readonly error?: StoreError;
}

/** The options of a hold that is settled at the end of a response. */
export interface StreamOptions {
  /**
   * Keeps the isolate alive until the hold is settled, after the response: on Workers
   * `(promise) => ctx.waitUntil(promise)`. It is called once, before the response is returned. Default: the isolate may
   * stop before.
   */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/** Settles a hold by a response; `options` are those of `stream()` besides `usage`. */
export type SettleByResponse<Options> = (
  hold: Pick<Hold, "settle" | "release" | "reserved" | "taken">,
  response: Response,
  options: Options,
) => Response;

/** Options of `stream()`, and the function that reads the cost from the response. */
export type WithUsage<Options> = NoInfer<Options> & { readonly usage: SettleByResponse<Options> };

/** The result of a settlement. */
export interface Settlement {
  /**
   * `settled`; `unknown` if Redis gave no answer, so that it may or may not have run; `not-sent` if it did not run,
   * because Redis is suspended after failures: settle again later. Units that are not settled stay reserved until their
   * window ends or they refill.
   */
  readonly status: "settled" | "unknown" | "not-sent";
  /**
   * Units that came back, by policy. A token bucket gives back at most the units that have not refilled since, rounded
   * down; a window that has ended gives back none.
   */
  readonly returned: Readonly<Record<string, number>>;
  /** Units that were charged beyond the reservation, by policy; a debt still ends at the policy's limit. */
  readonly charged: Readonly<Record<string, number>>;
  /** The store's error, unless the status is `settled`. */
  readonly error?: StoreError;
}

/** A limiter with a policy that gives something back: units of holds, slots, or units of requests that did not fail. */
export interface ReservingLimiter<Of extends CallTypes = CallTypes>
  extends Limiter<Of>, Reserve<Of> {}
/** A limiter of these policies and plans: it has `reserve()`, unless all policies are known to give nothing back. */
export type LimiterOf<Of, Plans = MadeBy<"plans()">> = [Of] extends [NotHolding]
  ? Limiter<CallTypesOf<Of, Plans>>
  : ReservingLimiter<CallTypesOf<Of, Plans>>;

/** The options of `reserve()`. */
export interface ReserveOptions<Of extends CallTypes = CallTypes> extends LimitOptions<Of> {
  /**
   * How long the hold keeps its slots of `concurrency` policies if it is neither settled nor extended; at most each policy's
   * own `ttl`. Range: `"1s"` to `"24h"`. Default: the policy's `ttl`.
   */
  readonly ttl?: Duration | undefined;
}

/** The operations that holds add to a limiter. */
export interface Reserve<Of extends CallTypes = CallTypes> {
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
  reserve(identity: Of["identity"], options?: ReserveOptions<Of>): Promise<Hold>;
}
