import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Outcome } from "../../src/decision/outcome.ts";
import { createTrace } from "../../src/metrics/trace.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { sampledClients } from "./traced.ts";

const [CLIENT] = sampledClients("secret", 1);
const POLICY = compilePolicy(fixedWindow({ name: "api", limit: 3, window: "1h" }));

/** The requests that an isolate keeps of one that was decided so. */
function keptOf(reason: Outcome["reason"]): number {
  const trace = createTrace("secret");
  const rows = [{ allowed: true, remaining: 2, retryAfterUs: 0, resetAfterUs: 0 }];
  const outcome = { reason, status: 200, policies: [POLICY], nowUs: 1e15, rows } as const;
  trace.note(outcome as Outcome, { "": CLIENT! }, undefined);
  return trace.take().chunks.reduce((sum, { events }) => sum + events, 0);
}

test.each([
  ["allowed", 1],
  ["limited", 1],
  ["cached-denial", 1],
  ["cost-exceeds-limit", 1],
  // Redis counted nothing of it, so that a replay would deny what passed.
  ["store-unavailable", 0],
] as const)("of a request that was decided as %s, the sample has %i", (reason, kept) => {
  expect(keptOf(reason)).toBe(kept);
});
