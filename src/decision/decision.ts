import type { StoreError } from "../errors/errors.ts";
import { decisionFields, type HeaderOptions } from "./fields.ts";
import type { Outcome, Reason } from "./outcome.ts";
import { decisionResponse } from "./problem.ts";

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

/** An outcome, and how it is presented. */
interface Parts extends Outcome {
  readonly headerOptions: HeaderOptions;
  readonly error?: StoreError;
}

/** Puts a decision together. */
export function createDecision(parts: Parts): Decision {
  return new LazyDecision(parts);
}

/** Computes what is asked for when it is asked for: most callers of a denial only look at `allowed`. */
class LazyDecision implements Decision {
  readonly allowed: boolean;
  readonly reason: Reason;
  readonly status: 200 | 429 | 503;
  declare readonly error?: StoreError;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.allowed = parts.status === 200;
    this.reason = parts.reason;
    this.status = parts.status;
    if (parts.error) this.error = parts.error;
    this.#parts = parts;
  }

  get policies(): readonly PolicyDecision[] {
    const { policies, rows } = this.#parts;
    return policies.map(({ name, limit, windowUs }, i) => {
      const { remaining, retryAfterUs, resetAfterUs, allowed } = rows[i]!;
      return {
        name,
        limit,
        window: windowUs / 1e6,
        remaining,
        retryAfterMs: retryAfterUs / 1000,
        resetAfterMs: resetAfterUs / 1000,
        allowed,
      };
    });
  }

  get retryAfterMs(): number {
    let longest = 0;
    if (!this.allowed) {
      for (const { allowed, retryAfterUs } of this.#parts.rows) {
        if (!allowed && retryAfterUs > longest) longest = retryAfterUs;
      }
    }
    return longest / 1000;
  }

  headers(): Headers {
    return new Headers(decisionFields(this.#parts, this.#parts.headerOptions));
  }

  response(): Response {
    return decisionResponse(this.#parts, this.#parts.headerOptions);
  }

  /** What JSON has no number for, `Infinity`, it writes as null. */
  toJSON(): object {
    const { allowed, reason, status, retryAfterMs, policies, error } = this;
    return { allowed, reason, status, retryAfterMs, policies, ...(error && { error }) };
  }

  /** What `console.log` shows on Node and on Workers, where getters would stay hidden. */
  [Symbol.for("nodejs.util.inspect.custom")](): object {
    return this.toJSON();
  }
}
