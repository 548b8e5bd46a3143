import { createDecision, type Decision } from "./decision.ts";

/** The decision about a client that a list names. No policy takes part. */
export function listedDecision(reason: "exempt" | "blocked"): Decision {
  return createDecision({
    reason,
    status: reason === "exempt" ? 200 : 403,
    policies: [],
    nowUs: 0,
    rows: [],
    headerOptions: {},
    random: () => 0,
  });
}
