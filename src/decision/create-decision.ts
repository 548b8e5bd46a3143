import type { Row } from "../algorithms/model.ts";
import type { StoreError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Decision, PolicyDecision, Reason } from "./decision.ts";
import { decisionHeaders, type HeaderOptions } from "./fields.ts";
import { decisionResponse } from "./problem.ts";

/** What the parts of a decision are made of. */
interface Parts {
  readonly reason: Reason;
  readonly status: 200 | 429 | 503;
  readonly policies: readonly CompiledPolicy[];
  /** The store's clock, in microseconds since 1970. */
  readonly nowUs: number;
  /** One per policy. */
  readonly rows: readonly Row[];
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
    const { nowUs, policies, headerOptions } = this.#parts;
    return decisionHeaders(this, nowUs, policies, headerOptions);
  }

  response(): Response {
    return decisionResponse(this);
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
