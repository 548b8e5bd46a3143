import type { Row } from "../algorithms/model.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import { projected } from "../decide/projected.ts";
import type { GroupVerdict, Verdict } from "../decide/step.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Admitted } from "./settle-optimistic.ts";

/** The verdict of a request that is admitted before the store has counted all of it. */
export function ahead(
  groups: readonly GroupVerdict[],
  { clockUs }: LimiterContext<CoreSettings>,
): Verdict {
  let nowUs = 0;
  for (const { at } of groups) if (at.nowUs > nowUs) nowUs = at.nowUs;
  return { reason: "optimistic", status: 200, nowUs: nowUs || clockUs(), groups };
}

/** The verdict about admitted units. Its rows tell this moment, but are made when they are read: most callers never do. */
export function admittedVerdict(
  { asked, entry: { open, known: last } }: Admitted,
  { now, clockUs }: LimiterContext<CoreSettings>,
): GroupVerdict {
  const elapsedUs = last ? Math.round((now() - last.atMs) * 1000) : 0;
  const nowUs = last ? last.nowUs + elapsedUs : clockUs();
  const owed = open.slice();
  let rows: readonly Row[] | undefined;
  return {
    asked,
    get rows() {
      return (rows ??= rowsOf(asked.group.policies, owed, last?.rows, elapsedUs, nowUs));
    },
    countedBy: "none",
    // Without an answer, the moment of another group dates the decision.
    at: { nowUs: last ? nowUs : 0, sentAtMs: 0, receivedAtMs: 0 },
  };
}

/** The numbers of the last answer, less the owed units. */
function rowsOf(
  policies: readonly CompiledPolicy[],
  owed: readonly number[],
  last: readonly Row[] | undefined,
  elapsedUs: number,
  nowUs: number,
): readonly Row[] {
  return policies.map((policy, i): Row => {
    const { remaining, resetAfterUs } = projected(policy, last?.[i], owed[i]!, elapsedUs, nowUs);
    return {
      allowed: true,
      remaining: Math.max(0, remaining),
      retryAfterUs: 0,
      resetAfterUs,
      // The window's end would be told by this isolate's clock, and of units that nobody else has taken.
      ...(!last && { isResetGuessed: true }),
    };
  });
}
