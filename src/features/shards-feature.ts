import type { Faults } from "../options/faults.ts";
import { SHARDS_WITH_LEASE } from "../options/messages.ts";
import type { Policy } from "../policy/policy.ts";
import { checkShards } from "../policy/shards.ts";
import { AUTO } from "../policy/traits.ts";
import { inShards } from "./shard-step.ts";

/** Policies whose limit is split over several keys. */
export const shards = { check: checkSharding, steps: inShards };

/** Checks the number of shards of each policy, and that no such policy has a lease. */
function checkSharding(
  { policies, lease }: { readonly policies: readonly Policy[]; readonly lease?: unknown },
  faults: Faults,
): void {
  if (!Array.isArray(policies)) return;
  policies.forEach((policy: Policy, i) => {
    const path = `policies[${i}]`;
    checkShards(policy, path, faults);
    // Automatic leases skip shards, unless a policy asks for both.
    const { shards, lease: own = lease === AUTO ? undefined : lease } = Object(policy) as Policy;
    if (shards === undefined || own === undefined) return;
    faults.add(`${path}.shards`, shards, SHARDS_WITH_LEASE);
  });
}
