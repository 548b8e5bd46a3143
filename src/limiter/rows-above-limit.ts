import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { PartitionedRequest } from "./selection.ts";

/** What denies a request whose cost can never pass. */
export interface RowsAboveLimit {
  readonly rows: readonly Row[];
  /** The store's clock at the denial that the numbers come from; `undefined` if none is known. */
  readonly nowUs: number | undefined;
}

/**
 * The rows of a request with a cost above its policy's limit, with the numbers of a known denial, else those of unused
 * policies; `undefined` if every cost fits.
 */
export function rowsAboveLimit(
  { selection, partitions, costs }: PartitionedRequest,
  now: () => number,
): RowsAboveLimit | undefined {
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
  return { rows, nowUs: known.find((denial) => denial)?.nowUs };
}

/** Whether a cost can ever have room. Policies that do not deny, and those that count no requests, refuse no cost. */
function fits({ role, limit }: CompiledPolicy, cost: number): boolean {
  return role !== "enforced" || cost <= limit;
}
