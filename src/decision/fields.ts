import { type CompiledPolicy, MAX_FIELD_INTEGER } from "../policy/compile.ts";
import { type Outcome, type Reason, toldWaitUs } from "./outcome.ts";

/** Selects the header fields of a response. */
export interface HeaderOptions {
  /**
   * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11, with an item for every policy that is
   * advertised. Default: `true`.
   */
  readonly "draft-11"?: boolean;
  /**
   * `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds) of the advertised policy nearest
   * its limit. Default: `true`.
   */
  readonly "x-ratelimit"?: boolean;
}

/** Header fields by name. A plain object, because runtimes build a response from it faster than from `Headers`. */
export type Fields = Record<string, string>;

/**
 * The header fields of a decision, as a new object for each call.
 *
 * @param draw the decision's random number, from 0 to below 1
 */
export function decisionFields(
  outcome: Outcome,
  options: HeaderOptions,
  draw: () => number,
): Fields {
  const { reason, status, policies, nowUs, rows } = outcome;
  // Clients may see none of the policies that took part, so there is no quota to describe.
  if (policies.length === 0) return isListed(reason) ? { "X-RateLimit-Reason": reason } : {};
  const fields: Fields = {};
  const seconds = policies.map((_, i) => secondsOf(outcome, i, draw));
  const told = advertised(policies);
  if (told.length > 0 && options["draft-11"] !== false) {
    fields["RateLimit-Policy"] = told.map((i) => policies[i]!.field).join(", ");
    fields["RateLimit"] = told
      .map(
        (i) =>
          `"${policies[i]!.name}";r=${Math.min(rows[i]!.remaining, MAX_FIELD_INTEGER)};t=${seconds[i]}`,
      )
      .join(", ");
  }
  if (told.length > 0 && options["x-ratelimit"] !== false) {
    const nearest = nearestItsLimit(outcome, told);
    const { remaining, resetAfterUs } = rows[nearest]!;
    fields["X-RateLimit-Limit"] = `${(policies[nearest]!.unsharded ?? policies[nearest]!).limit}`;
    fields["X-RateLimit-Remaining"] = `${remaining}`;
    // Rounded first: the times of a known denial are fractional, but every response must report the same end.
    fields["X-RateLimit-Reset"] = `${wholeSeconds(Math.round(nowUs + resetAfterUs))}`;
  }
  if (status !== 200) {
    const waits = seconds.filter((_, i) => toldWaitUs(outcome, i) > 0);
    fields["Retry-After"] = `${Math.max(1, ...waits)}`;
  }
  if (reason !== "allowed") fields["X-RateLimit-Reason"] = reason;
  return fields;
}

function isListed(reason: Reason): boolean {
  return reason === "exempt" || reason === "blocked";
}

/**
 * `t` of `RateLimit`: the wait of a policy that denies, else the time until its quota is full again. A cost that never
 * fits waits a whole window, because the fields cannot express "never".
 */
function secondsOf(outcome: Outcome, index: number, draw: () => number): number {
  const { windowUs, retryJitter = 0 } = outcome.policies[index]!;
  const toldUs = outcome.status === 200 ? 0 : toldWaitUs(outcome, index);
  if (toldUs === 0 && outcome.rows[index]!.allowed) {
    return wholeSeconds(outcome.rows[index]!.resetAfterUs);
  }
  const waitUs = toldUs === Infinity ? windowUs : toldUs;
  // Whole microseconds, so that a rounding error does not become a second.
  const jitterUs = retryJitter > 0 ? Math.floor(waitUs * retryJitter * draw()) : 0;
  return wholeSeconds(waitUs + jitterUs);
}

/** Rounded up, so that a client that waits this long is never early. */
function wholeSeconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}

/** The indices of the policies that clients may see. */
function advertised(policies: readonly CompiledPolicy[]): readonly number[] {
  return policies.flatMap(({ advertise }, i) => (advertise ? [i] : []));
}

/**
 * Selects among these policies: the denying one with the longest wait, else the one with the smallest share of its
 * limit left.
 */
function nearestItsLimit({ policies, rows }: Outcome, indices: readonly number[]): number {
  return indices.reduce((nearest, i) => {
    const row = rows[i]!;
    const best = rows[nearest]!;
    if (row.allowed !== best.allowed) return row.allowed ? nearest : i;
    const nearer = row.allowed
      ? row.remaining / policies[i]!.limit < best.remaining / policies[nearest]!.limit
      : row.retryAfterUs > best.retryAfterUs;
    return nearer ? i : nearest;
  });
}
