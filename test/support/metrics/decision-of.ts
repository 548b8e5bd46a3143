import type { Row } from "../../../src/algorithms/model.ts";
import type { Decision } from "../../../src/decide/decision.ts";
import { createDecision } from "../../../src/decide/present.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";

/** The decision of policies by what the store says of them. */
export function decisionOf(
  policies: readonly CompiledPolicy[],
  { rows, nowUs = 0 }: { readonly rows: readonly Row[]; readonly nowUs?: number },
  reason: "allowed" | "limited" | "store-unavailable" = rows[0]!.allowed ? "allowed" : "limited",
): Decision {
  const status = reason === "limited" ? 429 : 200;
  return createDecision({
    reason,
    status,
    policies,
    rows,
    nowUs,
    headerOptions: {},
    random: () => 0,
  });
}
