import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Outcome } from "./outcome.ts";

/** Which header fields a response carries. */
export interface HeaderOptions {
  /**
   * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11, with an item for every policy.
   * Default: `true`.
   */
  readonly "draft-11"?: boolean;
  /**
   * `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds) of the policy nearest its limit.
   * Default: `true`.
   */
  readonly "x-ratelimit"?: boolean;
}

/** Header fields by name. A plain object, because runtimes create a response faster from it than from `Headers`. */
export type Fields = Record<string, string>;

/** The header fields of a decision: a new object with each call. */
export function decisionFields(outcome: Outcome, options: HeaderOptions): Fields {
  const { reason, status, policies, nowUs, rows } = outcome;
  // No policy took part, so that there is no quota to describe.
  if (policies.length === 0) return { "X-RateLimit-Reason": reason };
  const fields: Fields = {};
  const seconds = policies.map((policy, i) => secondsOf(policy, rows[i]!));
  if (options["draft-11"] !== false) {
    fields["RateLimit-Policy"] = policies.map(({ field }) => field).join(", ");
    fields["RateLimit"] = policies
      .map(({ name }, i) => `"${name}";r=${rows[i]!.remaining};t=${seconds[i]}`)
      .join(", ");
  }
  if (options["x-ratelimit"] !== false) {
    const nearest = nearestItsLimit(outcome);
    const { remaining, resetAfterUs } = rows[nearest]!;
    fields["X-RateLimit-Limit"] = `${policies[nearest]!.limit}`;
    fields["X-RateLimit-Remaining"] = `${remaining}`;
    // Rounded first: the times of a known denial are fractional, but every response must report the same end.
    fields["X-RateLimit-Reset"] = `${wholeSeconds(Math.round(nowUs + resetAfterUs))}`;
  }
  if (status !== 200) {
    const waits = seconds.filter((_, i) => !rows[i]!.allowed);
    fields["Retry-After"] = `${Math.max(1, ...waits)}`;
  }
  if (reason !== "allowed") fields["X-RateLimit-Reason"] = reason;
  return fields;
}

/**
 * `t` of `RateLimit`: the wait of a policy that denies, else the time until its quota is whole again. A cost that never
 * fits waits a whole window, because the fields cannot express "never".
 */
function secondsOf(
  { windowUs }: CompiledPolicy,
  { allowed, retryAfterUs, resetAfterUs }: Row,
): number {
  if (allowed) return wholeSeconds(resetAfterUs);
  return retryAfterUs === Infinity ? wholeSeconds(windowUs) : wholeSeconds(retryAfterUs);
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
