import type { Faults } from "../../options/faults.ts";
import { SHARDS_WITH_LEASE } from "../../options/messages.ts";
import type { Policy } from "../../policy/policy.ts";
import { checkShards } from "../../policy/shards.ts";

/** Checks into how many shards policies are split, and that none of these has leases. */
export function checkSharding(
  { policies, lease }: { readonly policies: readonly Policy[]; readonly lease?: unknown },
  faults: Faults,
): void {
  if (!Array.isArray(policies)) return;
  policies.forEach((policy: Policy, i) => {
    const path = `policies[${i}]`;
    checkShards(policy, path, faults);
    // Automatic leases leave shards alone, but for a policy that asks for both.
    const { shards, lease: own = lease === "auto" ? undefined : lease } = Object(policy) as Policy;
    if (shards === undefined || own === undefined) return;
    faults.add(`${path}.shards`, shards, SHARDS_WITH_LEASE);
  });
}
