import type { Faults } from "../options/faults.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { type CompiledPolicy, compilePolicy, NAME, NAME_REMEDY } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";

/** The numbers of a policy under a plan: `limit`, and what its algorithm has besides, such as `refill`. */
export type PlanNumbers = Readonly<Record<string, number | string>>;

/** Plans by name, and in each the policies that it changes, by name. */
export type Plans = Readonly<Record<string, Readonly<Record<string, PlanNumbers>>>>;

const PLAN_REMEDY =
  "Give an object with policies by name, each with the numbers that differ: { rides: { limit: 200 } }.";

/**
 * Checks plans, and compiles all policies as they are under each.
 *
 * @param root where the plans stand, for faults
 * @param given the policies as they were given, without faults
 */
export function checkPlans(
  plans: unknown,
  root: string,
  given: readonly Policy[],
  policies: readonly CompiledPolicy[],
  faults: Faults,
): ReadonlyMap<string, readonly CompiledPolicy[]> {
  const compiled = new Map<string, readonly CompiledPolicy[]>();
  if (plans === undefined) return compiled;
  if (!isRecord(plans)) {
    faults.add(
      root,
      plans,
      "Give an object with plans by name: { gold: { rides: { limit: 200 } } }.",
    );
    return compiled;
  }
  for (const [plan, changes] of Object.entries(plans)) {
    const path = `${root}.${plan}`;
    if (!NAME.test(plan)) faults.add(path, plan, NAME_REMEDY);
    if (!isRecord(changes)) {
      faults.add(path, changes, PLAN_REMEDY);
      continue;
    }
    checkOptions(
      changes,
      policies.map(({ name }) => name),
      `${path}.`,
      faults,
    );
    const changed = policies.map((policy, i) =>
      Object.hasOwn(changes, policy.name)
        ? underPlan(policy, given[i]!, changes[policy.name], `${path}.${policy.name}`, faults)
        : policy,
    );
    compiled.set(plan, changed);
  }
  return compiled;
}

function underPlan(
  policy: CompiledPolicy,
  given: Policy,
  numbers: unknown,
  path: string,
  faults: Faults,
): CompiledPolicy {
  if (!isRecord(numbers)) {
    faults.add(path, numbers, PLAN_REMEDY);
    return policy;
  }
  checkOptions(
    numbers,
    ["limit", ...Object.keys(policy.implementation.options)],
    `${path}.`,
    faults,
  );
  // Options that do not exist are reported already.
  const known = Object.entries(numbers).filter(
    ([option]) => option === "limit" || Object.hasOwn(policy.implementation.options, option),
  );
  const changed = { ...given, ...Object.fromEntries(known), name: policy.name } as Policy;
  return compilePolicy(changed, path, faults) ?? policy;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
