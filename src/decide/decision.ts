import type { StoreError } from "../options/errors.ts";
import type { DecisionStatus, PolicyRows, Reason } from "./outcome.ts";

/**
 * One policy's part of a decision.
 *
 * @example
 * // A bucket of 20 that refills 10 per second, after a burst of 20 requests and one more, which is denied:
 * // { name: "burst", limit: 20, window: 2, remaining: 0, retryAfterMs: 100, resetAfterMs: 2000, allowed: false }
 */
export interface PolicyDecision {
  readonly name: string;
  readonly limit: number;
  /** Length of the window in seconds; for a token bucket, the time to refill it from empty. */
  readonly window: number;
  /** Units left after this request, from 0; for a policy with `shards`, the units left in the shard that was asked. */
  readonly remaining: number;
  /**
   * Milliseconds until the same cost has room again (after a charge: one unit). 0 if it has room now, `Infinity` if it
   * never will. Exact if the identity sends no other request before, else a lower bound.
   */
  readonly retryAfterMs: number;
  /** Milliseconds until the whole limit is available again; absent if an `optimistic` decision came before the store's first answer. */
  readonly resetAfterMs?: number;
  /** Whether this policy alone had room. */
  readonly allowed: boolean;
}

/** The answer to one request. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: Reason;
  /**
   * Status of `response()`: 200 if allowed, 429 if denied, 403 if a list denies the client, 503 if a policy that fails
   * closed denied because the store did not answer, which is not the client's fault.
   */
  readonly status: DecisionStatus;
  /**
   * One row for each policy that took part and is not in shadow, in the limiter's order; none if a list decided. With
   * `reason` `cached-denial`, only policies that share a partition key with the one that denies took part.
   */
  readonly policies: readonly PolicyDecision[];
  /** One row for each policy in shadow that took part: its decision if it were enforced. */
  readonly shadow: readonly PolicyDecision[];
  /**
   * The longest wait in milliseconds of the policies that denied; 0 if allowed, `Infinity` if waiting does not help: the
   * cost never fits, or a list denies the client.
   */
  readonly retryAfterMs: number;
  /** The store's error, if `reason` is `store-unavailable`. */
  readonly error?: StoreError;
  /**
   * The header fields for the client, as a new object for each call: `RateLimit`, `RateLimit-Policy`, `X-RateLimit-*`,
   * `Retry-After`.
   */
  headers(): Headers;
  /**
   * A denial as a response: `status`, an `application/problem+json` body, and all header fields.
   *
   * For an allowed decision it is an empty 200 with the fields, which suits an endpoint that a proxy asks for permission
   * (`auth_request` of nginx). It does not throw, so a forgotten check does not fail requests that the limit allows.
   *
   * @example
   * if (!decision.allowed) return decision.response();
   */
  response(): Response;
}

export function shown({ policies, rows }: PolicyRows): PolicyDecision[] {
  return policies.map((policy, i) => {
    const { remaining, retryAfterUs, resetAfterUs, allowed, isResetGuessed = false } = rows[i]!;
    const { limit, windowUs } = policy.unsharded ?? policy;
    return {
      name: policy.name,
      limit,
      window: windowUs / 1e6,
      remaining,
      retryAfterMs: retryAfterUs / 1000,
      ...(!isResetGuessed && { resetAfterMs: resetAfterUs / 1000 }),
      allowed,
    };
  });
}
