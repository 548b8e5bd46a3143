import type { CompiledPolicy } from "../policy/compile.ts";
import type { Reply } from "../store/store.ts";
import type { PartitionedRequest } from "./selection.ts";

/**
 * The reply to a cost above its policy's limit, for which nobody needs to ask the store: with the numbers of a known
 * denial, else those of unused policies. `undefined` if every cost fits.
 *
 * @param now the isolate's clock in milliseconds, by which denials are known
 * @param clock in microseconds since 1970, where no denial is known
 */
export function replyAboveLimit(
  { selection, partitions, costs }: PartitionedRequest,
  now: () => number,
  clock: () => number,
): Pick<Reply, "nowUs" | "rows"> | undefined {
  const { policies, groups, groupOf, starts } = selection;
  let isTooMuch = false;
  for (let i = 0; i < policies.length; i++) isTooMuch ||= !fits(policies[i]!, costs[i]!);
  if (!isTooMuch) return undefined;
  const known = groups.map(({ denials }, i) => {
    const found = denials.find(partitions[i]!, costs, starts[i]!, now());
    return found.state === "denied" ? found : undefined;
  });
  const rows = policies.map((policy, i) => {
    const group = groupOf[i]!;
    const row = known[group]?.rows[i - starts[group]!];
    const allowed = fits(policy, costs[i]!);
    return {
      allowed,
      remaining: row?.remaining ?? policy.limit,
      retryAfterUs: allowed ? 0 : Infinity,
      resetAfterUs: row?.resetAfterUs ?? 0,
    };
  });
  return { nowUs: known.find((denial) => denial)?.nowUs ?? clock(), rows };
}

/** Whether a cost can ever have room. Policies that do not deny, and those that count no requests, refuse no cost. */
function fits({ role, limit }: CompiledPolicy, cost: number): boolean {
  return role !== "enforced" || cost <= limit;
}
