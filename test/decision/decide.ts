import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Row } from "../../src/algorithms/model.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Decision } from "../../src/decide/decision.ts";
import type { HeaderOptions } from "../../src/decide/header-fields.ts";
import type { Reason } from "../../src/decide/outcome.ts";
import { createDecision } from "../../src/decide/present.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { compile } from "../support/compile-policy.ts";

export const burst = tokenBucket({ name: "burst", limit: 20, refill: 10, per: "1s" });
export const daily = fixedWindow({ name: "daily", limit: 1000, window: "1d" });

/** A row of a policy with room; times in seconds. */
export function room(remaining: number, resetAfterUs: number): Row {
  return { allowed: true, remaining, retryAfterUs: 0, resetAfterUs: resetAfterUs * 1e6 };
}

/** A row of a policy without room; times in seconds. */
export function full(retryAfterUs: number, resetAfterUs: number): Row {
  return {
    allowed: false,
    remaining: 0,
    retryAfterUs: retryAfterUs * 1e6,
    resetAfterUs: resetAfterUs * 1e6,
  };
}

/** A decision as the limiter would make it of these rows. */
export function decide(
  rows: readonly (readonly [Policy, Row])[],
  reason: Reason,
  headerOptions: HeaderOptions = {},
  status?: 503,
  random: () => number = () => 0.5,
): Decision {
  return createDecision({
    reason,
    status: status ?? (rows.every(([, { allowed }]) => allowed) ? 200 : 429),
    policies: compile(rows.map(([policy]) => policy)),
    nowUs: Date.now() * 1000,
    rows: rows.map(([, row]) => row),
    headerOptions,
    random,
  });
}
