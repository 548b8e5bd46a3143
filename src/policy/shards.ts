import type { Faults } from "../options/faults.ts";
import { SHARDS, SHARDS_ABOVE_LIMIT, SHARDS_OF_DENIALS } from "../options/messages.ts";
import { type CompiledPolicy, completePolicy } from "./compile.ts";
import type { Policy } from "./policy.ts";

/**
 * More keys than masters of a cluster bring no speed, and each costs calls: a client that is denied has to be denied by
 * every shard before an isolate knows it.
 */
export const MAX_SHARDS = 64;

/** Checks into how many shards a policy is split. */
export function checkShards(policy: Policy, path: string, faults: Faults): void {
  const { shards, limit, counts } = Object(policy) as Policy;
  if (shards === undefined) return;
  const at = `${path}.shards`;
  if (!(Number.isInteger(shards) && shards >= 2 && shards <= MAX_SHARDS)) {
    faults.add(at, shards, SHARDS, MAX_SHARDS);
  } else if (Number.isInteger(limit) && limit >= 1 && limit < shards) {
    faults.add(at, shards, SHARDS_ABOVE_LIMIT, limit);
  }
  if (counts === "denials") {
    faults.add(at, shards, SHARDS_OF_DENIALS);
  }
}

/** The highest cost that a request can have under a policy; NaN for a policy with faults. */
export function highestCost({ limit, shards = 1 }: Pick<Policy, "limit" | "shards">): number {
  return Number.isInteger(limit) && Number.isInteger(shards) ? Math.floor(limit / shards) : NaN;
}

/**
 * The policies that the shards of a policy enforce; those with equal limits are one object. Their limits add up to the
 * policy's, and so do the rates of a bucket, because each refills at an equal part of its rate.
 */
export function shardsOf(policy: CompiledPolicy): readonly CompiledPolicy[] {
  const { limit, shards, field, implementation } = policy;
  const shardOf = (units: number): CompiledPolicy => ({
    ...completePolicy(policy, implementation.partOf(policy, units, shards)),
    field,
    unsharded: policy,
  });
  const least = highestCost(policy);
  const [smaller, larger] = [shardOf(least), shardOf(least + 1)];
  return Array.from({ length: shards }, (_, i) => (i < limit % shards ? larger : smaller));
}
