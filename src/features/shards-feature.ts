import type { Faults } from "../options/faults.ts";
import { SHARDS_WITH_LEASE } from "../options/messages.ts";
import { given, type MadeBy, optionValue } from "../options/option-value.ts";
import type { Policy } from "../policy/policy.ts";
import { checkShards } from "../policy/shards.ts";
import { AUTO } from "../policy/traits.ts";
import { inShards } from "./shard-step.ts";

/** Policies whose limit is split over several keys. */
export const shardsFeature = { check: checkSharding, steps: inShards };

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

/**
 * Splits the limit of a hot identity over this many keys, which a Redis Cluster spreads over its masters. A request asks one of them,
 * at most two, so that `remaining` is the rest of that shard: at least so much is left in all. All shards together never admit more
 * than the policy. A request may cost at most the smallest shard's limit, `limit / shards` rounded down: 125,000 of a limit of
 * 1,000,000 with 8. Cannot be combined with a lease or `denials()`. A change of the count starts parts of the count anew.
 *
 * @param count Range: 2 to 64, at most the limit
 * @example
 * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", shards: shards(8) })
 */
export function shards(count: number): MadeBy<"shards()"> {
  return optionValue("shards", { shards: given(count) }, { shards: shardsFeature });
}
