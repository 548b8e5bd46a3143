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
import { type MadeBy, optionValue } from "../options/option-value.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { isRecord } from "../options/record.ts";
import { checkOptions } from "../options/unknown-options.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";
import { areTogether, AUTO, OPTIMISM, type Optimism } from "../policy/traits.ts";
import { optimisticStep } from "./optimistic-step.ts";

/** Policies whose requests an isolate admits before the store has counted them. */
export const optimisticFeature = {
  compile: compileOptimism,
  checkCost: checkOptimisticCost,
  steps: optimisticStep,
};

/**
 * Answers without waiting for Redis: an isolate that knows of no denial, and whose last answer left more than `above` of the limit,
 * or that has none, admits at once, and Redis counts the request afterwards. At most `unsettled` units of an identity wait for that
 * in an isolate; a request beyond them, or of a greater cost, waits for its answer. So each isolate admits at most `unsettled`
 * units too many, whatever the traffic is, and they are missing later: 40 isolates with the default admit at most 140 of a limit of
 * 100. Not for logins, codes or money. All policies of one dimension need it. Cannot be combined with `counts`, `shadow()`, `soft()`,
 * `shards`, `refundable` or a lease other than `lease("auto")`.
 *
 * @param options Range of `unsettled`: 1 to 1,000, at most the limit; of `above`: 0 to below 1. Default:
 * `{ unsettled: 1, above: 0.5 }`
 * @example
 * tokenBucket({ name: "api", limit: 100, refill: 50, per: "1s", optimistic: optimistic() })
 */
export function optimistic(options?: OptimisticOptions): MadeBy<"optimistic()"> {
  return optionValue(
    "optimistic",
    { optimistic: options ?? true },
    { optimistic: optimisticFeature },
  );
}

/** The excess of one isolate. With a higher one, the limit would have little effect. */
export const MAX_UNSETTLED = 1_000;

/** The options that select optimistic policies. */
export interface OptimisticLimiter {
  readonly lease?: string;
  readonly policies: readonly Policy[];
}

/**
 * Checks the `optimistic` options, and marks each policy, also those under a plan.
 *
 * @param policies in the caller's order; empty after faults, and then only the numbers are checked
 */
function compileOptimism(
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
function checkOptimisticCost(
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
