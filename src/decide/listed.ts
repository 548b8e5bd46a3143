import type { Decision } from "./decision.ts";
import type { Problem } from "./outcome.ts";
import { createDecision } from "./present.ts";

const BLOCKED: Problem = {
  type: "about:blank",
  title: "Forbidden",
  status: 403,
  detail: "Requests from this client are not accepted.",
};

/** The decision about a client on a list. No policy takes part. */
export function listedDecision(reason: "exempt" | "blocked"): Decision {
  return reason === "exempt" ? withoutPolicies(reason, 200) : withoutPolicies(reason, 403, BLOCKED);
}

/** The decision about a request that no policy counts: it lacks every identity, and all policies are in shadow. */
export function uncountedDecision(): Decision {
  return withoutPolicies("allowed", 200);
}

function withoutPolicies(
  reason: "exempt" | "blocked" | "allowed",
  status: 200 | 403,
  problem?: Problem,
): Decision {
  return createDecision({
    reason,
    status,
    problem,
    policies: [],
    nowUs: 0,
    rows: [],
    headerOptions: {},
    random: () => 0,
  });
}
