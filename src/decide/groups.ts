import type { CompiledPolicy } from "../policy/compile.ts";

/** Policies that share a partition key. What an isolate knows of one of them, it knows of all of them. */
export interface PolicyGroup {
  /** Its number in the limiter, by which each step keeps a state of its own. */
  readonly index: number;
  /** Advisory ones come last. */
  readonly policies: readonly CompiledPolicy[];
  /** Those that may deny. */
  readonly denying: readonly CompiledPolicy[];
  /** What a request costs that names no costs. A policy that counts denials costs nothing. */
  readonly ones: readonly number[];
  /** Whether every policy is enforced, and counts requests. */
  readonly isPlain: boolean;
  /** Whether a decision lists its policies as they stand here: none has to be moved, and none is in shadow. */
  readonly isListed: boolean;
  /** The same policies under other plans. What is known of them ends with a decision of this group. */
  readonly variants: PolicyGroup[];
}

/** @param members in the order given */
export function createGroup(members: readonly CompiledPolicy[], index: number): PolicyGroup {
  const denying = members.filter(({ role }) => role !== "advisory");
  const policies = [...denying, ...members.filter(({ role }) => role === "advisory")];
  return {
    index,
    policies,
    denying,
    ones: policies.map(({ role }) => (role === "denials" ? 0 : 1)),
    isPlain: policies.every(({ role, countsFailures }) => role === "enforced" && !countsFailures),
    isListed: policies.every((policy, i) => policy === members[i] && policy.mode !== "shadow"),
    variants: [],
  };
}

/** Makes two groups variants of each other. */
export function connect(group: PolicyGroup, other: PolicyGroup): void {
  group.variants.push(other);
  other.variants.push(group);
}
