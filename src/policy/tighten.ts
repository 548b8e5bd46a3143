import { type CompiledPolicy, completePolicy } from "./compile.ts";

/** The policy that Redis has to enforce so that isolates spending leased units keep the given one. */
export function tightenPolicy(policy: CompiledPolicy, leaseUs: number): CompiledPolicy {
  return completePolicy(policy, policy.implementation.lease.tighten(policy, leaseUs));
}
