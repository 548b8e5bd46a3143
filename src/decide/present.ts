import type { StoreError } from "../options/errors.ts";
import { type Decision, type PolicyDecision, shown } from "./decision.ts";
import { type HeaderOptions, type FieldTarget, setFields } from "./header-fields.ts";
import type { CoreSettings } from "./limiter-context.ts";
import {
  type Outcome,
  type Reason,
  type DecisionStatus,
  toldWaitUs,
  type PolicyRows,
} from "./outcome.ts";
import { decisionResponse } from "./problem.ts";
import type { Verdict } from "./step.ts";

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

/**
 * Shows verdicts as decisions: the policies in the caller's order, and those in shadow apart. Sorting waits until the
 * rows are read, because most callers only read `allowed`.
 */
export function presenter({
  policies,
  headers: headerOptions,
  random,
}: Pick<CoreSettings, "policies" | "headers" | "random">): (verdict: Verdict) => Decision {
  const placeOf = new Map(policies.map(({ name }, i) => [name, i]));

  function partsOf({ reason, status, nowUs, groups, error }: Verdict): Parts {
    const outcome = { reason, status, nowUs, headerOptions, random, error };
    if (groups.length === 1 && groups[0]!.asked.group.isInOrder) {
      const { asked, rows } = groups[0]!;
      const { policies, denying } = asked.group;
      return { ...outcome, policies: rows.length === policies.length ? policies : denying, rows };
    }
    const all = groups
      .flatMap(({ asked, rows }) =>
        rows.map((row, i) => ({ policy: asked.group.policies[i]!, row })),
      )
      .sort((a, b) => placeOf.get(a.policy.name)! - placeOf.get(b.policy.name)!);
    const rowsOf = (isShadow: boolean): PolicyRows => {
      const own = all.filter(({ policy }) => (policy.mode === "shadow") === isShadow);
      return { policies: own.map(({ policy }) => policy), rows: own.map(({ row }) => row) };
    };
    return { ...outcome, ...rowsOf(false), shadow: rowsOf(true) };
  }

  return (verdict) => createDecisionLater(verdict, partsOf);
}

/** Fields that hold a list. Several limiters on one path append their items to it. */
const LIST_FIELDS = ["RateLimit", "RateLimit-Policy"];
const NO_LISTS: readonly string[] = [];

/** These three describe one policy together, so they are not mixed with those that a response has already. */
const X_RATELIMIT = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** Adds the fields of a decision and overwrites nothing; the two lists get its items after theirs. */
export function appendFields(response: Response, decision: Decision): Response {
  return withFields(response, decision, LIST_FIELDS);
}

/** Adds the fields of a decision to a response made for it, except those that the response sets itself. */
export function addMissingFields(response: Response, decision: Decision): Response {
  return withFields(response, decision, NO_LISTS);
}

/** Adds the fields of a decision to those of an answer that is no response, as `appendFields()` does. */
export function appendFieldsTo(fields: AnswerFields, decision: Decision): void {
  setFieldsOf(decision, besideTheirs(fields, LIST_FIELDS));
}

/** The fields of an answer, to which others are added. */
export type AnswerFields = Pick<Headers, "has" | "append" | "set" | "delete">;
function withFields(response: Response, decision: Decision, lists: readonly string[]): Response {
  // A response that switches protocols carries its socket: it cannot be copied, and has no use for the fields.
  if (response.status === 101) return response;
  // A copy, because the fields of a response from fetch are immutable.
  const copy = new Response(response.body, response);
  setFieldsOf(decision, besideTheirs(copy.headers, lists));
  return copy;
}

/** Fields are set here one by one: runtimes take several times longer to read them from a `Headers` in between. */
function besideTheirs(headers: AnswerFields, lists: readonly string[]): FieldTarget {
  const theirs = X_RATELIMIT.some((name) => headers.has(name)) ? X_RATELIMIT : [];
  return {
    set(name, value) {
      if (lists.includes(name)) headers.append(name, value);
      else if (!theirs.includes(name) && !headers.has(name)) headers.set(name, value);
    },
  };
}
