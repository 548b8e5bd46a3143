import type { FailureVerdict } from "../algorithms/common-options.ts";
import { type CompiledPolicy, completePolicy } from "../policy/compile.ts";

/** A share counts in whole millionths: in floating point, 7 % of 100 would be slightly more than 7. */
const WHOLE = 1_000_000;

/** The share of a policy that a verdict lets one isolate admit; `undefined` if the isolate does not count. */
export function localShareOf(verdict: FailureVerdict): number | undefined {
  if (verdict === "local") return 1;
  return typeof verdict === "object" ? verdict.local.share : undefined;
}

/** The policy that one isolate enforces when each is to admit this share. The limit is rounded up, to at least one unit. */
export function scalePolicy(policy: CompiledPolicy, share: number): CompiledPolicy {
  if (share === 1) return policy;
  const numerator = Math.max(1, Math.round(share * WHOLE));
  const limit = Math.ceil((policy.limit * numerator) / WHOLE);
  return completePolicy(
    policy,
    policy.implementation.scale(policy, limit, { numerator, denominator: WHOLE }),
  );
}

/**
 * The key by which an isolate without the store counts a policy. The shards of a policy are one count here: split, and each
 * rounded up by itself, they would admit more than the share. The shard is the end of the partition key.
 */
export function localKeyOf({ unsharded }: CompiledPolicy, key: string): string {
  return unsharded ? key.replace(/#\d+\}/, "}") : key;
}

/** The policy that an isolate without the store enforces under that key. */
export function localPolicyOf(policy: CompiledPolicy, share: number): CompiledPolicy {
  return scalePolicy(policy.unsharded ?? policy, share);
}
