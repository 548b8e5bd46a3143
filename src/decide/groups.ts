import type { CompiledPolicy } from "../policy/compile.ts";

/** Policies that share a partition key. A verdict covers all of them at once. */
export interface PolicyGroup {
  /** Its number in the limiter: the key of each step's state for it. */
  readonly index: number;
  /** Advisory policies come last. */
  readonly policies: readonly CompiledPolicy[];
  /** The policies that may deny. */
  readonly denying: readonly CompiledPolicy[];
  /** The default costs of a request. A policy that counts denials costs 0. */
  readonly defaultCosts: readonly number[];
  /** Whether every policy is enforced, and counts requests. */
  readonly isPlain: boolean;
  /** Whether every policy is in shadow; else none is. */
  readonly isShadow: boolean;
  /** Whether decisions list these policies in this order: none has to be moved, and none is in shadow. */
  readonly isInOrder: boolean;
  /**
   * The same policies without a plan, and then under each plan; this group is one of them. A decision for it invalidates the known
   * denials of the others.
   */
  readonly variants: PolicyGroup[];
}

/**
 * @param members in the caller's order
 * @param variants to which the group is added
 */
export function createGroup(
  members: readonly CompiledPolicy[],
  index: number,
  variants: PolicyGroup[] = [],
): PolicyGroup {
  const denying = members.filter(({ role }) => role !== "advisory");
  const policies = [...denying, ...members.filter(({ role }) => role === "advisory")];
  const group = {
    index,
    policies,
    denying,
    defaultCosts: policies.map(({ role }) => (role === "denials" ? 0 : 1)),
    isPlain: policies.every(({ role, countsFailures }) => role === "enforced" && !countsFailures),
    isShadow: policies.every(({ mode }) => mode === "shadow"),
    isInOrder: policies.every((policy, i) => policy === members[i] && policy.mode !== "shadow"),
    variants,
  };
  variants.push(group);
  return group;
}
