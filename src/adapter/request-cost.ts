import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import type { Cost } from "../decide/limiter-types.ts";
import type { Features } from "../features/features.ts";
import type { Faults } from "../options/faults.ts";
import { COST, COST_ABOVE_LIMIT, COST_OF_UNKNOWN } from "../options/messages.ts";
import { isRecord } from "../options/record.ts";
import type { Policy } from "../policy/policy.ts";
import { highestCost } from "../policy/shards.ts";
import type { PlainRequestOptions } from "./request-options.ts";

export type ReadCost<Context> = (context: Context) => Cost | undefined | Promise<Cost>;

/** Checks a cost that is known already, and compiles how any other is read. */
export function compileCost<Context>(
  cost: PlainRequestOptions<Context>["cost"],
  policies: readonly Policy[],
  optimistic: Features["optimistic"],
  faults: Faults,
): ReadCost<Context> {
  if (typeof cost === "function") return cost;
  if (isRecord(cost)) {
    for (const [name, units] of Object.entries(cost)) {
      const named = policies.filter((policy) => Object(policy).name === name);
      if (named.length === 0) {
        faults.add(`cost.${name}`, units, COST_OF_UNKNOWN);
      } else {
        checkUnits(units, `cost.${name}`, named, optimistic, faults);
      }
    }
  } else if (cost !== undefined) {
    checkUnits(cost, "cost", policies, optimistic, faults);
  }
  return () => cost;
}

function checkUnits(
  units: unknown,
  path: string,
  policies: readonly Policy[],
  optimistic: Features["optimistic"],
  faults: Faults,
): void {
  if (!Number.isSafeInteger(units) || Number(units) < 0) {
    faults.add(path, units, COST);
    return;
  }
  const refused = policies.some((policy) => {
    const { counts, mode = "enforce", [IMPLEMENTATION]: implementation } = Object(policy) as Policy;
    // A request takes one slot for any cost.
    if (implementation?.hasSlots) return false;
    const highest = highestCost(Object(policy) as Policy);
    // A limit below 1 is a fault of its own.
    return counts !== "denials" && mode === "enforce" && highest >= 1 && Number(units) > highest;
  });
  if (refused) {
    faults.add(path, units, COST_ABOVE_LIMIT);
  }
  optimistic?.checkCost(Number(units), path, policies, faults);
}
