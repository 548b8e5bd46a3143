import { MAX_FIELD_INTEGER } from "../policy/compile.ts";
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
   * its limit, and `X-RateLimit-Reason`. Default: `true`.
   */
  readonly "x-ratelimit"?: boolean;
}

/** All fields that a decision may set. */
export const RATE_LIMIT_FIELDS = [
  "RateLimit",
  "RateLimit-Policy",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-RateLimit-Reason",
  "Retry-After",
];

/** Takes the fields of a decision one by one. Their names have the capitals of the specifications. */
export type FieldTarget = Pick<Headers, "set">;

/**
 * Sets the header fields of a decision. Runtimes take less time for fields that are set one by one than for a response
 * that is made of an object, and several times less than for one of pairs.
 *
 * @param random the decision's random number, from 0 to below 1
 */
export function setFields(
  headers: FieldTarget,
  outcome: Outcome,
  options: HeaderOptions,
  random: () => number,
): void {
  const { reason, status, policies, nowUs, rows } = outcome;
  const hasOlderFields = options["x-ratelimit"] !== false;
  // Clients may see none of the policies that took part, so there is no quota to describe.
  if (policies.length === 0) {
    if (hasOlderFields && isListed(reason)) headers.set("X-RateLimit-Reason", reason);
    return;
  }
  let limits = "";
  let quotas = "";
  let nearest: number | undefined;
  for (let i = 0; i < policies.length; i++) {
    const { advertise, field, name } = policies[i]!;
    if (!advertise) continue;
    const comma = nearest === undefined ? "" : ", ";
    const remaining = Math.min(rows[i]!.remaining, MAX_FIELD_INTEGER);
    limits += comma + field;
    quotas += `${comma}"${name}";r=${remaining}`;
    if (!rows[i]!.isResetGuessed) quotas += `;t=${secondsOf(outcome, i, random)}`;
    if (nearest === undefined || isNearer(outcome, i, nearest)) nearest = i;
  }
  if (nearest !== undefined && options["draft-11"] !== false) {
    headers.set("RateLimit-Policy", limits);
    headers.set("RateLimit", quotas);
  }
  if (nearest !== undefined && hasOlderFields) {
    const { remaining, resetAfterUs, isResetGuessed = false } = rows[nearest]!;
    const { limit } = policies[nearest]!.unsharded ?? policies[nearest]!;
    headers.set("X-RateLimit-Limit", `${limit}`);
    headers.set("X-RateLimit-Remaining", `${remaining}`);
    if (!isResetGuessed) {
      // Rounded first: the times of a known denial are fractional, but every response must report the same end.
      headers.set("X-RateLimit-Reset", `${wholeSeconds(Math.round(nowUs + resetAfterUs))}`);
    }
  }
  if (status !== 200) headers.set("Retry-After", `${retryAfter(outcome, random)}`);
  if (hasOlderFields && reason !== "allowed") headers.set("X-RateLimit-Reason", reason);
}

/** The seconds of `Retry-After`: the longest wait that a denied client is told, at least one. */
export function retryAfter(outcome: Outcome, random: () => number): number {
  let longest = 1;
  for (let i = 0; i < outcome.rows.length; i++) {
    if (toldWaitUs(outcome, i) > 0) longest = Math.max(longest, secondsOf(outcome, i, random));
  }
  return longest;
}

function isListed(reason: Reason): boolean {
  return reason === "exempt" || reason === "blocked";
}

/**
 * `t` of `RateLimit`: the wait of a policy that denies, else the time until its quota is full again. A cost that never
 * fits waits a whole window, because the fields cannot express "never".
 */
function secondsOf(outcome: Outcome, index: number, random: () => number): number {
  const { windowUs, retryJitter = 0 } = outcome.policies[index]!;
  const toldUs = outcome.status === 200 ? 0 : toldWaitUs(outcome, index);
  if (toldUs === 0 && outcome.rows[index]!.allowed) {
    return wholeSeconds(outcome.rows[index]!.resetAfterUs);
  }
  const waitUs = toldUs === Infinity ? windowUs : toldUs;
  // Whole microseconds, so that a rounding error does not become a second.
  const jitterUs = retryJitter > 0 ? Math.floor(waitUs * retryJitter * random()) : 0;
  return wholeSeconds(waitUs + jitterUs);
}

/** Rounded up, so that a client that waits this long is never early. */
function wholeSeconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}

/**
 * Whether a policy is nearer its limit than another: a denying one is, with the longest wait of those; else the one with
 * the smallest share of its limit left.
 */
function isNearer({ policies, rows }: Outcome, index: number, other: number): boolean {
  const row = rows[index]!;
  const best = rows[other]!;
  if (row.allowed !== best.allowed) return !row.allowed;
  return row.allowed
    ? row.remaining / policies[index]!.limit < best.remaining / policies[other]!.limit
    : row.retryAfterUs > best.retryAfterUs;
}
