import type { FailureVerdict } from "../algorithms/common-options.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/** A share counts in whole millionths: in floating point, 7 % of 100 would be slightly more than 7. */
const WHOLE = 1_000_000;

/** The share of a policy that a verdict lets one isolate admit; `undefined` if the isolate does not count. */
export function localShareOf(verdict: FailureVerdict): number | undefined {
  if (verdict === "local") return 1;
  return typeof verdict === "object" ? verdict.local.share : undefined;
}

/** The units that one isolate admits when each is to admit this share: rounded up, at least one. */
export function localLimitOf({ limit, unsharded }: CompiledPolicy, share: number): number {
  const millionths = Math.max(1, Math.round(share * WHOLE));
  return Math.ceil(((unsharded?.limit ?? limit) * millionths) / WHOLE);
}

/**
 * The key by which an isolate without the store counts a policy. The shards of a policy are one count here: split, and each
 * rounded up by itself, they would admit more than the share. The shard is the end of the partition key.
 */
export function localKeyOf({ unsharded }: CompiledPolicy, key: string): string {
  return unsharded ? key.replace(/#\d+\}/, "}") : key;
}
