import { createDecisionLater, type Decision, type Parts } from "./decision.ts";
import type { CoreSettings } from "./kit.ts";
import type { PolicyRows } from "./outcome.ts";
import type { Verdict } from "./step.ts";

/**
 * Shows verdicts as decisions: the policies in the caller's order, and those in shadow apart. Sorting waits until the
 * rows are read, because most callers only read `allowed`.
 */
export function presenter({
  policies,
  headers: headerOptions,
  random,
}: Pick<CoreSettings, "policies" | "headers" | "random">): (verdict: Verdict) => Decision {
  const placeOf = new Map(policies.map(({ name }, i) => [name, i]));

  function partsOf({ reason, status, nowUs, groups, error }: Verdict): Parts {
    const outcome = { reason, status, nowUs, headerOptions, random, error };
    if (groups.length === 1 && groups[0]!.asked.group.isInOrder) {
      const { asked, rows } = groups[0]!;
      const { policies, denying } = asked.group;
      return { ...outcome, policies: rows.length === policies.length ? policies : denying, rows };
    }
    const all = groups
      .flatMap(({ asked, rows }) =>
        rows.map((row, i) => ({ policy: asked.group.policies[i]!, row })),
      )
      .sort((a, b) => placeOf.get(a.policy.name)! - placeOf.get(b.policy.name)!);
    const rowsOf = (isShadow: boolean): PolicyRows => {
      const own = all.filter(({ policy }) => (policy.mode === "shadow") === isShadow);
      return { policies: own.map(({ policy }) => policy), rows: own.map(({ row }) => row) };
    };
    return { ...outcome, ...rowsOf(false), shadow: rowsOf(true) };
  }

  return (verdict) => createDecisionLater(verdict, partsOf);
}
