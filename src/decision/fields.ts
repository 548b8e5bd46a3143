import type { CompiledPolicy } from "../policy/compile.ts";
import type { Decision, PolicyDecision } from "./decision.ts";

/** Which header fields a decision is told by. */
export interface HeaderOptions {
  /**
   * `RateLimit` and `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers-11 has them, every policy listed.
   * Default true.
   */
  readonly "draft-11"?: boolean;
  /** `X-RateLimit-Limit`, `-Remaining` and `-Reset` (Unix seconds) of the policy nearest its limit. Default true. */
  readonly "x-ratelimit"?: boolean;
}

/**
 * The header fields of a decision.
 *
 * @param nowUs when it was made, by the store's clock, in microseconds since 1970
 */
export function decisionHeaders(
  decision: Decision,
  nowUs: number,
  compiled: readonly CompiledPolicy[],
  options: HeaderOptions,
): Headers {
  const headers = new Headers();
  const { policies } = decision;
  if (options["draft-11"] !== false) {
    headers.set("RateLimit-Policy", compiled.map(({ field }) => field).join(", "));
    headers.set("RateLimit", policies.map(limitItem).join(", "));
  }
  if (options["x-ratelimit"] !== false) {
    const { limit, remaining, resetAfterMs } = nearestItsLimit(policies);
    headers.set("X-RateLimit-Limit", String(limit));
    headers.set("X-RateLimit-Remaining", String(remaining));
    // Whole microseconds: an earlier answer as it stands now comes to fractions of the same moment.
    const resetAt = Math.round(nowUs + resetAfterMs * 1000);
    headers.set("X-RateLimit-Reset", String(Math.ceil(resetAt / 1e6)));
  }
  if (!decision.allowed) headers.set("Retry-After", String(retryAfterSeconds(decision)));
  if (decision.reason !== "allowed") headers.set("X-RateLimit-Reason", decision.reason);
  return headers;
}

/** One item of `RateLimit`: after a denial `t` is the wait, else the time until the quota is whole again. */
function limitItem(policy: PolicyDecision): string {
  const { name, remaining, resetAfterMs, allowed } = policy;
  return `"${name}";r=${remaining};t=${allowed ? wholeSeconds(resetAfterMs) : waitSeconds(policy)}`;
}

/** `Retry-After`: the longest wait of the policies that deny, at least 1. */
function retryAfterSeconds({ policies }: Decision): number {
  return Math.max(1, ...policies.filter(({ allowed }) => !allowed).map(waitSeconds));
}

/** A cost that can never pass is told to wait a whole window, because the fields know no "never". */
function waitSeconds({ retryAfterMs, window }: PolicyDecision): number {
  return wholeSeconds(Number.isFinite(retryAfterMs) ? retryAfterMs : window * 1000);
}

/** Rounded up, so that a client that waits as told is never early. */
function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** The denying policy with the longest wait, else the one with the smallest share of its limit left. */
function nearestItsLimit(policies: readonly PolicyDecision[]): PolicyDecision {
  return policies.reduce((nearest, policy) => {
    if (policy.allowed !== nearest.allowed) return policy.allowed ? nearest : policy;
    const nearer = policy.allowed
      ? policy.remaining / policy.limit < nearest.remaining / nearest.limit
      : policy.retryAfterMs > nearest.retryAfterMs;
    return nearer ? policy : nearest;
  });
}
