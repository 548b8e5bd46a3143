import type { OptimisticOptions } from "../algorithms/common-options.ts";
import type { Faults } from "../options/faults.ts";
import {
  ABOVE,
  COST_ABOVE_UNSETTLED,
  OPTIMISM_DIFFERS,
  OPTIMISM_IS_LATE,
  OPTIMISM_OF_SLOTS,
  OPTIMISM_WITH_LEASE,
  OPTIMISTIC,
} from "../options/messages.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { isRecord } from "../options/record.ts";
import { checkOptions } from "../options/unknown-options.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";
import { areTogether, AUTO, OPTIMISM, type Optimism } from "../policy/traits.ts";

/** The excess of one isolate. With a higher one, the limit would have little effect. */
export const MAX_UNSETTLED = 1_000;

/** The options that select optimistic policies. */
interface OptimisticLimiter {
  readonly lease?: string;
  readonly policies: readonly Policy[];
}

/**
 * Checks the `optimistic` options, and marks each policy, also those under a plan.
 *
 * @param policies in the caller's order; empty after faults, and then only the numbers are checked
 */
export function compileOptimism(
  { lease, policies: unchecked }: OptimisticLimiter,
  policies: readonly CompiledPolicy[],
  faults: Faults,
): (policy: CompiledPolicy) => Pick<CompiledPolicy, "optimistic"> {
  // The shape of the list is checked elsewhere.
  const own = Array.isArray(unchecked)
    ? Array.from(unchecked, (policy) => Object(policy) as Policy)
    : [];
  const read = own.map((policy, i) => {
    if (policy.optimistic === undefined) return undefined;
    const path = `policies[${i}]`;
    const optimism = readOptimism(policy, `${path}.optimistic`, faults);
    if (policies[i]) checkStrict(policy, policies[i], lease, path, faults);
    return optimism;
  });
  policies.forEach((policy, i) => {
    const first = policies.findIndex((other) => areTogether(other, policy));
    if ((read[first] === undefined) === (read[i] === undefined)) return;
    faults.add(`policies[${i}].optimistic`, own[i]!.optimistic, OPTIMISM_DIFFERS, first);
  });
  const ofName = new Map(policies.map(({ name }, i) => [name, read[i]]));
  return ({ name }) => {
    const optimistic = ofName.get(name);
    return optimistic ? { optimistic } : {};
  };
}

function readOptimism(
  { optimistic, limit }: Policy,
  path: string,
  faults: Faults,
): Optimism | undefined {
  if (optimistic === true) return OPTIMISM;
  if (!isRecord(optimistic)) {
    faults.add(path, optimistic, OPTIMISTIC);
    return OPTIMISM;
  }
  checkOptions(optimistic, Object.keys(OPTIMISM), `${path}.`, faults);
  const { unsettled, above } = { ...OPTIMISM, ...(optimistic as Partial<Optimism>) };
  // A faulty limit is reported elsewhere.
  const most = limit >= 1 ? Math.min(limit, MAX_UNSETTLED) : MAX_UNSETTLED;
  checkPositiveInteger(unsettled, most, `${path}.unsettled`, faults);
  if (!(typeof above === "number" && above >= 0 && above < 1)) {
    faults.add(`${path}.above`, above, ABOVE);
  }
  return { unsettled, above };
}

/** Adds a fault for each policy whose isolates never admit requests of this cost by themselves. */
export function checkOptimisticCost(
  units: number,
  path: string,
  policies: readonly Policy[],
  faults: Faults,
): void {
  for (const policy of policies) {
    const { optimistic } = Object(policy) as Policy;
    if (optimistic === undefined) continue;
    const { unsettled = OPTIMISM.unsettled } = Object(optimistic) as OptimisticOptions;
    if (units > unsettled) faults.add(path, units, COST_ABOVE_UNSETTLED);
  }
}

/** Rejects policies that need the store's answer first. */
function checkStrict(
  { counts = "requests", lease }: Policy,
  { mode, shards, refundable, implementation }: CompiledPolicy,
  leaseOfAll: string | undefined,
  policyPath: string,
  faults: Faults,
): void {
  const path = `${policyPath}.optimistic`;
  const late = (option: string) => faults.add(path, true, OPTIMISM_IS_LATE, option);
  if (implementation.hasSlots) faults.add(path, true, OPTIMISM_OF_SLOTS);
  else if (counts !== "requests") late(`counts: "${counts}"`);
  else if (mode !== "enforce") late(`mode: "${mode}"`);
  else if (refundable) late("refundable");
  else if (shards > 1) late("shards");
  else if (![undefined, AUTO].includes(lease ?? leaseOfAll)) {
    faults.add(path, true, OPTIMISM_WITH_LEASE);
  }
}
