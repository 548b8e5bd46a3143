import type { StoreError } from "../errors/errors.ts";

/** Why a decision came out as it did. New reasons may be added. */
export type Reason =
  /** Every policy had room. */
  | "allowed"
  /** The store said that a policy has no room. */
  | "limited"
  /** This isolate knew already that a policy has no room; the store was not asked. */
  | "cached-denial"
  /** The cost is above a policy's limit, so it can never pass. */
  | "cost-exceeds-limit"
  /** The store gave no usable answer; each policy's `onFailure` decided. */
  | "store-unavailable";

/** What one policy says about a request. */
export interface PolicyDecision {
  readonly name: string;
  readonly limit: number;
  /** Seconds; for a token bucket the time it takes to refill. */
  readonly window: number;
  /** Units left after this request. */
  readonly remaining: number;
  /**
   * Milliseconds until the same cost has room again (after a charge: one unit), 0 if it has now, `Infinity` if it
   * never will. Exact if nobody else asks meanwhile, else a lower bound.
   */
  readonly retryAfterMs: number;
  /** Milliseconds until the whole limit is available again. */
  readonly resetAfterMs: number;
  /** Whether this policy alone had room. */
  readonly allowed: boolean;
}

/** The answer for one request. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: Reason;
  /**
   * Status of `response()`: 429, or 503 where a policy that fails closed denied, so that no client is blamed for it.
   * 200 when allowed.
   */
  readonly status: 200 | 429 | 503;
  /** One row per policy, in the order given. */
  readonly policies: readonly PolicyDecision[];
  /** The longest wait of the policies that denied; 0 when allowed. */
  readonly retryAfterMs: number;
  /** What went wrong with the store, when `reason` is `store-unavailable`. */
  readonly error?: StoreError;
  /** The header fields that tell the client: `RateLimit`, `RateLimit-Policy`, `X-RateLimit-*`, `Retry-After`. */
  headers(): Headers;
  /**
   * A denial as a response: `status`, `application/problem+json`, all headers.
   *
   * Of an allowed decision it is an empty 200 with the fields, as an endpoint answers that a proxy asks for leave
   * (`auth_request` of nginx). It does not throw: a mistake in code must not take the service down for those whom the
   * limit lets pass.
   *
   * @example
   * if (!decision.allowed) return decision.response();
   */
  response(): Response;
}
