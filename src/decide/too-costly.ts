import type { CompiledPolicy } from "../policy/compile.ts";
import type { CoreSettings, Kit } from "./kit.ts";
import type { Known } from "./known.ts";
import {
  type Asked,
  type AskedGroup,
  type Decide,
  type GroupVerdict,
  NO_MOMENT,
  type Step,
  type Verdict,
} from "./step.ts";

/**
 * Denies a cost above its policy's limit, which never has room. The numbers come from a known denial, else from unused
 * policies.
 */
export function tooCostly({ now, clockUs }: Kit<CoreSettings>, known: Known): Step<Decide> {
  function never({ groups }: Asked): Verdict {
    let nowUs: number | undefined;
    const verdicts = groups.map((asked): GroupVerdict => {
      const found = known.find(asked, now());
      if (found.state === "denied") nowUs ??= found.nowUs;
      const rows = asked.group.policies.map((policy, i) => {
        const row = found.state === "denied" ? found.rows[i] : undefined;
        const allowed = fits(policy, asked.costs[i]!);
        return {
          allowed,
          remaining: row?.remaining ?? policy.limit,
          retryAfterUs: allowed ? 0 : Infinity,
          resetAfterUs: row?.resetAfterUs ?? 0,
        };
      });
      return { asked, rows, countedBy: "none", at: NO_MOMENT };
    });
    return {
      reason: "cost-exceeds-limit",
      status: 429,
      nowUs: nowUs ?? clockUs(),
      groups: verdicts,
    };
  }

  return (next) => (asked) => {
    const { operation, groups } = asked;
    if (operation === "charge" || operation === "reset") return next(asked);
    for (let i = 0; i < groups.length; i++) if (!groupFits(groups[i]!)) return never(asked);
    return next(asked);
  };
}

/** Whether each cost of a group can ever have room. */
export function groupFits({ group: { policies }, costs }: AskedGroup): boolean {
  for (let i = 0; i < policies.length; i++) if (!fits(policies[i]!, costs[i]!)) return false;
  return true;
}

/** A policy that does not deny, or that does not count requests, refuses no cost. */
function fits({ role, limit }: CompiledPolicy, cost: number): boolean {
  return role !== "enforced" || cost <= limit;
}
