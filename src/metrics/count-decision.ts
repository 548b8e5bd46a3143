import type { Decision } from "../decide/decision.ts";
import { denies, type Outcome, type Reason } from "../decide/outcome.ts";
import { outcomeOf } from "../decide/present.ts";
import {
  ABOVE_LIMIT,
  ALLOWED,
  ALLOWED_AHEAD,
  ALLOWED_OPEN,
  ALLOWED_WITHOUT_STORE,
  BLOCKED,
  DENIED_IN_REGION,
  DENIED_WITHOUT_STORE,
  EXEMPT,
  KNOWN_DENIAL,
  LIMITED,
} from "./outcomes.ts";
import { identityOf } from "./partition-name.ts";
import type { Sketches } from "./sketch.ts";
import type { Tally } from "./tally.ts";

const OUTCOME_OF: Readonly<Record<Reason, number>> = {
  allowed: ALLOWED,
  optimistic: ALLOWED_AHEAD,
  limited: LIMITED,
  "cached-denial": KNOWN_DENIAL,
  "region-denial": DENIED_IN_REGION,
  "cost-exceeds-limit": ABOVE_LIMIT,
  exempt: EXEMPT,
  blocked: BLOCKED,
  "store-unavailable": DENIED_WITHOUT_STORE,
};

/** Above this share of its limit a partition is near it. */
const NEAR = 0.75;

/**
 * Counts a decision: under the rule of the policy that denied, else under the given one.
 *
 * @param identities by dimension; `undefined` if the decision needed none
 * @param headers of the request, for the last characters of its key
 */
export function countDecision(
  { denied, near }: Sketches,
  tally: Tally,
  decision: Decision,
  rule: object | undefined,
  identities: Readonly<Record<string, string>> | undefined,
  headers: Headers | undefined,
): void {
  const outcome = outcomeOf(decision);
  const { policies, rows, shadow } = outcome;
  let denying: string | undefined;
  for (let i = 0; i < rows.length; i++) {
    const policy = policies[i]!;
    const { limit, name } = policy;
    if (denies(outcome, i)) {
      denying ??= name;
      if (identities) denied.add(name, identityOf(policy, identities), headers);
    } else if (identities && limit - rows[i]!.remaining > NEAR * limit) {
      near.add(name, identityOf(policy, identities), headers);
    }
  }
  const isFallback = decision.allowed && outcome.reason === "store-unavailable";
  const code = isFallback ? fallbackOf(policies) : OUTCOME_OF[outcome.reason];
  tally.request(code, rule, denying);
  tally.evaluations(outcome);
  if (shadow) tally.evaluations(shadow);
}

/** How a request passed without a decision of the store: counted by the isolate, or not counted. */
function fallbackOf(policies: Outcome["policies"]): number {
  return policies.every(({ onFailure }) => onFailure === "open")
    ? ALLOWED_OPEN
    : ALLOWED_WITHOUT_STORE;
}
