import type { Verdict } from "../decide/step.ts";
import type { Algorithm } from "./upstash-algorithms.ts";

/** The answer of `limit()`. */
export interface RatelimitResponse {
  /** Whether the request may pass. */
  success: boolean;
  /** How many tokens there are in a window. */
  limit: number;
  /** How many are left, from 0. */
  remaining: number;
  /**
   * Unix time in milliseconds, by Redis's clock: if denied, when the same request has room, should no other come first; else
   * when all tokens are there again, or the window ends.
   */
  reset: number;
  /** The work after the answer: analytics. It never rejects. On Workers and Vercel: `context.waitUntil(pending)`. */
  pending: Promise<unknown>;
  /** Why, if Redis did not decide: it gave no answer, this process knew it, or the deny list has a value. */
  reason?: "timeout" | "cacheBlock" | "denyList";
  /** The value that the deny list has. */
  deniedValue?: string | undefined;
}

/** A verdict as the peer's answer. */
export function responseOf(
  verdict: Verdict,
  algorithm: Algorithm,
  limit: number,
): RatelimitResponse {
  const { status, reason, nowUs, groups, error } = verdict;
  const row = groups[0]?.rows[0];
  const pending = Promise.resolve();
  if (error || !row) {
    const reset = Date.now() + algorithm.windowMs;
    return { success: true, limit, remaining: limit, reset, pending, reason: "timeout" };
  }
  const success = status === 200;
  const { remaining, retryAfterUs, resetAfterUs } = row;
  const waitUs = success || retryAfterUs === Infinity ? resetAfterUs : retryAfterUs;
  const response: RatelimitResponse = {
    success,
    limit,
    remaining,
    reset: Math.ceil((nowUs + (waitUs || restOf(algorithm, nowUs))) / 1000),
    pending,
  };
  if (reason === "cached-denial") response.reason = "cacheBlock";
  return response;
}

/** How long a window without a count lasts; 0 if it has not begun. */
function restOf({ onGrid, windowMs }: Algorithm, nowUs: number): number {
  return onGrid ? windowMs * 1000 - (nowUs % (windowMs * 1000)) : 0;
}

/** How long a denied request waits; `Infinity` if waiting does not help. */
export function waitMsOf({ groups }: Verdict): number {
  return (groups[0]?.rows[0]?.retryAfterUs ?? 0) / 1000;
}
