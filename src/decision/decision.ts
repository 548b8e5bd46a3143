import type { StoreError } from "../errors/errors.ts";
import { type FieldTarget, type HeaderOptions, setFields } from "./fields.ts";
import {
  type DecisionStatus,
  type Outcome,
  type PolicyRows,
  type Reason,
  toldWaitUs,
} from "./outcome.ts";
import { decisionResponse } from "./problem.ts";

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

/** An outcome, and the settings of its presentation. */
export interface Parts extends Outcome {
  readonly headerOptions: HeaderOptions;
  /** A random number from 0 to below 1. */
  readonly random: () => number;
  readonly error?: StoreError | undefined;
}

/** The parts that every caller of a decision reads. */
type Head = Pick<Parts, "reason" | "status"> & { readonly error?: StoreError | undefined };

/** Creates a decision from its outcome. */
export function createDecision(parts: Parts): Decision {
  return new LazyDecision(parts, asTheyAre);
}

const asTheyAre = (parts: Parts): Parts => parts;

/** As `createDecision`, with parts that are built when they are first read. */
export function createDecisionLater<Given extends Head>(
  source: Given,
  partsOf: (source: Given) => Parts,
): Decision {
  return new LazyDecision(source, partsOf as (source: Head) => Parts);
}

/** The data of a decision, so that counting it copies no rows. */
export function outcomeOf(decision: Decision): Outcome {
  return LazyDecision.partsOf(decision);
}

/** Sets the header fields of a decision, as `headers()` has them, without a `Headers` of their own. */
export function setFieldsOf(decision: Decision, fields: FieldTarget): void {
  LazyDecision.setFields(decision, fields);
}

/** Computes its parts on demand: most callers of a denial only read `allowed`. */
class LazyDecision implements Decision {
  readonly allowed: boolean;
  readonly reason: Reason;
  readonly status: DecisionStatus;
  declare readonly error?: StoreError;
  /** The source of the parts, or the parts themselves once they are read. */
  #source: Head;
  #partsOf: (source: never) => Parts;
  #drawn: number | undefined;

  constructor(source: Head, partsOf: (source: never) => Parts) {
    this.allowed = source.status === 200;
    this.reason = source.reason;
    this.status = source.status;
    if (source.error) this.error = source.error;
    this.#source = source;
    this.#partsOf = partsOf;
  }

  get #parts(): Parts {
    if (this.#partsOf === asTheyAre) return this.#source as Parts;
    const parts = this.#partsOf(this.#source as never);
    this.#source = parts;
    this.#partsOf = asTheyAre;
    return parts;
  }

  static partsOf(decision: Decision): Parts {
    return (decision as LazyDecision).#parts;
  }

  static setFields(decision: Decision, fields: FieldTarget): void {
    const lazy = decision as LazyDecision;
    setFields(fields, lazy.#parts, lazy.#parts.headerOptions, () => lazy.#draw());
  }

  get policies(): readonly PolicyDecision[] {
    return shown(this.#parts);
  }

  get shadow(): readonly PolicyDecision[] {
    const { shadow } = this.#parts;
    return shadow ? shown(shadow) : [];
  }

  get retryAfterMs(): number {
    let longest = this.reason === "blocked" ? Infinity : 0;
    if (!this.allowed) {
      this.#parts.rows.forEach((_, i) => {
        longest = Math.max(longest, toldWaitUs(this.#parts, i));
      });
    }
    return longest / 1000;
  }

  headers(): Headers {
    const headers = new Headers();
    LazyDecision.setFields(this, headers);
    return headers;
  }

  response(): Response {
    return decisionResponse(this.#parts, this.#parts.headerOptions, () => this.#draw());
  }

  /** Drawn once, so that all fields of this decision show the same wait. */
  #draw(): number {
    return (this.#drawn ??= this.#parts.random());
  }

  /** JSON has no `Infinity`: it becomes null. */
  toJSON(): object {
    const { allowed, reason, status, retryAfterMs, policies, shadow, error } = this;
    return {
      allowed,
      reason,
      status,
      retryAfterMs,
      policies,
      ...(shadow.length > 0 && { shadow }),
      ...(error && { error }),
    };
  }

  /** For `console.log` on Node and Workers, which hides getters. */
  [Symbol.for("nodejs.util.inspect.custom")](): object {
    return this.toJSON();
  }
}

function shown({ policies, rows }: PolicyRows): PolicyDecision[] {
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
