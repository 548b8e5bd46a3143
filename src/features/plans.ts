import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import { Faults } from "../options/faults.ts";
import {
  LIMIT_BELOW_SHARDS,
  MAX_NAMES,
  NAME as NAME_FAULT,
  NUMBER_MISFITS,
  PLAN,
  PLAN_NUMBERS,
  PLANS,
  POLICY_OF_PLAN,
} from "../options/messages.ts";
import { isRecord } from "../options/record.ts";
import { checkOptions, hintAmong } from "../options/unknown-options.ts";
import { type CompiledPolicy, compilePolicy, completePolicy, NAME } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";

/** The numbers of a policy under a plan: `limit`, and those of its algorithm, such as `refill`. */
export type PlanNumbers = Readonly<Record<string, number | string>>;

/** Plans by name; each has the policies that it changes, by name. */
export type Plans = Readonly<Record<string, Readonly<Record<string, PlanNumbers>>>>;

/** Policies without a plan, and the same policies under each plan. */
export interface Planned {
  readonly policies: readonly CompiledPolicy[];
  readonly plans: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/**
 * Checks plans, and compiles all policies under each plan. Consumed units still count when a client's plan changes.
 *
 * @param root the path of the plans, for faults
 * @param declared the policies as the caller gave them, without faults
 */
export function checkPlans(
  plans: unknown,
  root: string,
  declared: readonly Policy[],
  policies: readonly CompiledPolicy[],
  faults: Faults,
): Planned {
  const lists = new Map<string, readonly CompiledPolicy[]>();
  if (plans === undefined) return { policies, plans: lists };
  if (!isRecord(plans)) {
    faults.add(root, plans, PLANS);
    return { policies, plans: lists };
  }
  for (const [plan, changes] of Object.entries(plans)) {
    const path = `${root}.${plan}`;
    if (!NAME.test(plan)) faults.add(path, plan, NAME_FAULT);
    lists.set(plan, compileNumbers(changes, path, declared, policies, faults));
  }
  return { policies, plans: lists };
}

/**
 * Compiles all policies with a table of numbers, of a plan or of one client. After a fault, the answer has policies to go
 * on with.
 *
 * @param changes for each policy that differs its numbers, by its name
 * @param path the path of the table, for faults
 */
export function compileNumbers(
  changes: unknown,
  path: string,
  declared: readonly Policy[],
  policies: readonly CompiledPolicy[],
  faults: Faults,
): readonly CompiledPolicy[] {
  if (!isRecord(changes)) {
    faults.add(path, changes, PLAN);
    return policies;
  }
  checkNames(changes, new Set(policies.map(({ name }) => name)), path, faults);
  return policies.map((policy, i) =>
    Object.hasOwn(changes, policy.name)
      ? withNumbers(policy, declared[i]!, changes[policy.name], `${path}.${policy.name}`, faults)
      : policy,
  );
}

function checkNames(
  changes: object,
  names: ReadonlySet<string>,
  path: string,
  faults: Faults,
): void {
  const unknown = Object.entries(changes).filter(([name]) => !names.has(name));
  if (unknown.length === 0) return;
  const known = [...names];
  for (const [name, numbers] of unknown.slice(0, MAX_NAMES)) {
    const meant = hintAmong(known, name, faults);
    faults.add(`${path}.${name}`, numbers, POLICY_OF_PLAN, { meant, known });
  }
}

function withNumbers(
  policy: CompiledPolicy,
  declared: Policy,
  numbers: unknown,
  path: string,
  faults: Faults,
): CompiledPolicy {
  const options = ["limit", ...Object.keys(policy.implementation.options)];
  if (!isRecord(numbers)) {
    faults.add(path, numbers, PLAN_NUMBERS, options);
    return policy;
  }
  checkOptions(numbers, options, `${path}.`, faults);
  if (policy.implementation.refusesNumbers?.(numbers, path, faults)) return policy;
  // Unknown options are reported elsewhere.
  const known = Object.entries(numbers).filter(([option]) => options.includes(option));
  const changed = { ...declared, ...Object.fromEntries(known) } as Policy;
  const compiled = compileChanged(changed, numbers, path, faults);
  if (!compiled) return policy;
  if (compiled.limit < policy.shards) {
    faults.add(`${path}.limit`, compiled.limit, LIMIT_BELOW_SHARDS, policy.shards);
  }
  const { limit, windowUs, parameters } = compiled;
  return completePolicy(policy, { limit, windowUs, parameters });
}

/**
 * Compiles a policy with some numbers. If another option of the policy does not go with them, the fault is that of the number.
 */
function compileChanged(
  changed: Policy,
  numbers: Readonly<Record<string, unknown>>,
  path: string,
  faults: Faults,
): CompiledPolicy | undefined {
  const found = new Faults();
  const compiled = compilePolicy(changed, path, found);
  const options = Object.keys(changed[IMPLEMENTATION].options);
  const cause = options.find((option) => Object.hasOwn(numbers, option));
  for (const fault of found.list) {
    const option = fault.path.slice(path.length + 1);
    if (cause === undefined || Object.hasOwn(numbers, option)) faults.put(fault);
    else faults.add(`${path}.${cause}`, numbers[cause], NUMBER_MISFITS, { ...fault, option });
  }
  return compiled;
}
