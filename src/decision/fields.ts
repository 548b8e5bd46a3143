import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Outcome } from "./outcome.ts";

/** Which header fields a response carries. */
export interface HeaderOptions {
  /**
   * `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-11, with every policy listed.
   * Default true.
   */
  readonly "draft-11"?: boolean;
  /** `X-RateLimit-Limit`, `-Remaining` and `-Reset` (Unix seconds) of the policy nearest its limit. Default true. */
  readonly "x-ratelimit"?: boolean;
}

/** Header fields by name. A plain object, because a runtime makes a response of one faster than of `Headers` or pairs. */
export type Fields = Record<string, string>;

/** The header fields of a decision: a new object with each call. */
export function decisionFields(outcome: Outcome, options: HeaderOptions): Fields {
  const { reason, status, policies, nowUs, rows } = outcome;
  const fields: Fields = {};
  if (options["draft-11"] !== false) {
    fields["RateLimit-Policy"] = policies.map(({ field }) => field).join(", ");
    fields["RateLimit"] = policies.map((policy, i) => limitItem(policy, rows[i]!)).join(", ");
  }
  if (options["x-ratelimit"] !== false) {
    const nearest = nearestItsLimit(outcome);
    const { remaining, resetAfterUs } = rows[nearest]!;
    fields["X-RateLimit-Limit"] = `${policies[nearest]!.limit}`;
    fields["X-RateLimit-Remaining"] = `${remaining}`;
    // Whole microseconds: the remaining time of a known denial is fractional, and its end must stay the same moment.
    fields["X-RateLimit-Reset"] = `${wholeSeconds(Math.round(nowUs + resetAfterUs))}`;
  }
  if (status !== 200) fields["Retry-After"] = `${retryAfterSeconds(outcome)}`;
  if (reason !== "allowed") fields["X-RateLimit-Reason"] = reason;
  return fields;
}

/** The longest wait of the policies that deny, at least 1. */
function retryAfterSeconds({ policies, rows }: Outcome): number {
  const waits = policies.map((policy, i) => (rows[i]!.allowed ? 0 : waitSeconds(policy, rows[i]!)));
  return Math.max(1, ...waits);
}

/** One item of `RateLimit`. `t` is the wait of a policy that denies, else the time until its quota is whole again. */
function limitItem(policy: CompiledPolicy, row: Row): string {
  const seconds = row.allowed ? wholeSeconds(row.resetAfterUs) : waitSeconds(policy, row);
  return `"${policy.name}";r=${row.remaining};t=${seconds}`;
}

/** A cost that can never pass waits a whole window, because the fields cannot express "never". */
function waitSeconds({ windowUs }: CompiledPolicy, { retryAfterUs }: Row): number {
  return Number.isFinite(retryAfterUs) ? wholeSeconds(retryAfterUs) : wholeSeconds(windowUs);
}

/** Rounded up, so that a client that waits as long as it is asked to is never early. */
function wholeSeconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}

/** The index of the denying policy with the longest wait, else of the one with the smallest share of its limit left. */
function nearestItsLimit({ policies, rows }: Outcome): number {
  return rows.reduce((nearest, row, i) => {
    const best = rows[nearest]!;
    if (row.allowed !== best.allowed) return row.allowed ? nearest : i;
    const nearer = row.allowed
      ? row.remaining / policies[i]!.limit < best.remaining / policies[nearest]!.limit
      : row.retryAfterUs > best.retryAfterUs;
    return nearer ? i : nearest;
  }, 0);
}
