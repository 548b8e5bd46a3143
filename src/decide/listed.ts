import type { Decision } from "./decision.ts";
import { createDecision } from "./present.ts";

/** The decision about a client on a list. No policy takes part. */
export function listedDecision(reason: "exempt" | "blocked"): Decision {
  return withoutPolicies(reason, reason === "exempt" ? 200 : 403);
}

/** The decision about a request that no policy counts: it lacks every identity, and all policies are in shadow. */
export function uncountedDecision(): Decision {
  return withoutPolicies("allowed", 200);
}

function withoutPolicies(reason: "exempt" | "blocked" | "allowed", status: 200 | 403): Decision {
  return createDecision({
    reason,
    status,
    policies: [],
    nowUs: 0,
    rows: [],
    headerOptions: {},
    random: () => 0,
  });
}
