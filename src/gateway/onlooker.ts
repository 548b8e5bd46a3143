import type { Decision } from "../decision/decision.ts";
import type { DecisionInfo } from "../features/telling/tell-decision.ts";
import type { CountedRule } from "../metrics/tally.ts";
import type { GatewayConfig } from "./config/config.ts";

/** Sees each decision of a gateway, and changes nothing. */
export type Onlooker = (
  rules: readonly CountedRule[],
  decision: Decision,
  operation: DecisionInfo["operation"],
  identities: Readonly<Record<string, string>> | undefined,
) => void;

/** Whoever is to see decisions besides the metrics; `undefined` if nobody is. */
export function onlookerOf({
  denialLog,
  tell,
}: Pick<GatewayConfig, "denialLog" | "tell">): Onlooker | undefined {
  if (!denialLog && !tell) return undefined;
  return function look(rules, decision, operation, identities) {
    denialLog?.note(rules, decision, identities);
    tell?.(decision, { operation, identity: identities });
  };
}
