import { type CompiledPolicy, completePolicy } from "./compile.ts";

/** The policy that Redis has to enforce so that isolates with leases keep the original one. */
export function tightenPolicy(policy: CompiledPolicy, leaseUs: number): CompiledPolicy {
  return completePolicy(policy, policy.implementation.lease.tighten(policy, leaseUs));
}
