import type { CountRequest, GroupVerdict } from "../../decide/step.ts";

/**
 * The longest wait for a policy that counts failures, in microseconds. Requests that do not fail often hold its units
 * and give them back with their responses, at a time that no clock predicts. A client that waited for the window would
 * often wait too long.
 */
const LONGEST_WAIT_US = 1_000_000;

/** The verdict in which advisory policies deny a cost above their limit, and a wait for failures is short. */
export function advised(verdict: GroupVerdict, operation: CountRequest["operation"]): GroupVerdict {
  const { asked, countedBy } = verdict;
  const { group, costs } = asked;
  if (group.isPlain || countedBy === "lease") return verdict;
  const rows = verdict.rows.map((row, i) => {
    const { role, limit, countsFailures } = group.policies[i]!;
    if (role === "advisory" && costs[i]! > limit && operation !== "charge") {
      return { ...row, allowed: false, retryAfterUs: Infinity };
    }
    if (!countsFailures || row.retryAfterUs <= LONGEST_WAIT_US) return row;
    return { ...row, retryAfterUs: LONGEST_WAIT_US };
  });
  return { ...verdict, rows };
}
