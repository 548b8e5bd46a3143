import type { Decision } from "../decision/decision.ts";
import type { StoreError } from "../errors/errors.ts";
import type { Duration } from "../options/duration.ts";
import type { Cost } from "./cost.ts";

/**
 * A decision whose cost is settled later, when it is known: `reserve()` takes an estimate, and `settle()` corrects it.
 * A hold that is never settled keeps its estimate. Of a denied one nothing was taken, and there is nothing to settle.
 */
export interface Hold extends Decision {
  /**
   * What was reserved of `refundable` policies, by policy: `{ tokens: 4000 }`. That much can come back. Empty for a denied
   * hold, and where no policy is `refundable`.
   */
  readonly reserved: Readonly<Record<string, number>>;

  /**
   * Replaces what was reserved by what the request really cost. Units of `refundable` policies that were not needed go
   * back to where they were taken; what was needed beyond the reservation is charged, also into debt (see `charge()`).
   * A policy that is not named keeps what was reserved, and so do all if no cost is given.
   *
   * The first settlement counts: a second `settle()` or `release()` changes nothing and resolves with the same result.
   * It frees the slots of `concurrency` policies. Only after the status `not-sent` does it send what surely did not run. It
   * never rejects because of Redis, and may come at any time: units whose window is over have come back already, and
   * nothing comes back twice.
   *
   * A number is the cost of every policy: one that is not `refundable` is charged the difference, and gives nothing back.
   * Name policies where they count different things.
   *
   * @throws TidegateError `ERR_COST`; `ERR_HOLD` if it names a policy without `refundable` and less than was reserved
   * @example
   * const hold = await limiter.reserve("user:42", { cost: { tokens: 4000 } });
   * // ... the answer took 812 tokens
   * await hold.settle({ tokens: 812 });
   */
  settle(cost?: Cost): Promise<Settlement>;

  /** Gives back everything that was reserved of `refundable` policies, as if the request had not come. */
  release(): Promise<Settlement>;

  /**
   * Keeps the hold's slots of `concurrency` policies for longer: each expires after `ttl` from now, at most after its
   * policy's `ttl`. It takes no slot again that has expired, and extends no other hold. It never rejects because of Redis.
   *
   * @param ttl Range: `"1s"` to `"24h"`. Default: the policy's `ttl`
   * @throws TidegateError `ERR_HOLD` for a wrong `ttl`
   * @example
   * const { status } = await hold.extend("60s");
   * if (status === "expired") socket.close();
   */
  extend(ttl?: Duration): Promise<Extension>;

  /**
   * Settles the hold when this response's body has ended, was cancelled by the client, or failed. Returns the response to
   * send instead: the same status, header fields and bytes, each passed on at once.
   *
   * With a `usage`, such as the one of `tidegate/llm`, it settles at what the response tells that it cost; without, at
   * what was reserved, which frees the slots of `concurrency` policies.
   *
   * Until then, chunks that pass keep these slots: no timer does, so a body that stands still for a whole `ttl` loses them.
   * A response of status 101 has no body. It is returned as it is, and a hold with slots is left to you: settle it when
   * the socket closes.
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

/** What became of a hold's slots. */
export interface Extension {
  /**
   * `extended`, also where there are no slots to extend; `expired` if one of them has expired, or the hold is settled or
   * denied; `unknown` if Redis gave no answer: extend again, as nothing is extended twice.
   */
  readonly status: "extended" | "expired" | "unknown";
  /** What went wrong with the store, if the status is `unknown`. */
  readonly error?: StoreError;
}

export interface StreamOptions {
  /**
   * Keeps the isolate alive until the hold is settled, which is after the response: on Workers
   * `(promise) => ctx.waitUntil(promise)`. It is called once, before the response is returned. Default: nothing does.
   */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/** Settles a hold by a response; `options` are those of `stream()` besides `usage`. */
export type SettleByResponse<Options> = (
  hold: Pick<Hold, "settle" | "release" | "reserved">,
  response: Response,
  options: Options,
) => Response;

/** Options of `stream()`, and what reads from the response how to settle. */
export type WithUsage<Options> = NoInfer<Options> & { readonly usage: SettleByResponse<Options> };

/** What became of a hold. */
export interface Settlement {
  /**
   * `settled`; `unknown` if Redis gave no answer, so that nobody knows whether it ran; `not-sent` if it surely did not
   * run, because Redis is suspended after failures: settle again later. What is not settled stays reserved until the
   * policies forget it.
   */
  readonly status: "settled" | "unknown" | "not-sent";
  /**
   * Units that came back, by policy. A token bucket gives back at most what has not refilled since it was taken, rounded
   * down; a window whose end has come gives back nothing.
   */
  readonly returned: Readonly<Record<string, number>>;
  /** Units that were charged beyond the reservation, by policy; a debt ends at the policy's limit all the same. */
  readonly charged: Readonly<Record<string, number>>;
  /** What went wrong with the store, unless the status is `settled`. */
  readonly error?: StoreError;
}
