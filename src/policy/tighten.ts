import { type CompiledPolicy, completePolicy } from "./compile.ts";

/** Bounds of an automatic lease: an isolate chooses its units by what Redis has left. */
export const AUTO_LEASE = {
  /** In units. A smaller lease saves hardly a call, and some of its units would expire. */
  smallest: 4,
  /**
   * The largest share of the remaining units that one lease takes. So leases shrink near the limit, and end when an eighth
   * is less than the smallest lease. From there on Redis decides each request.
   */
  shareOfLeft: 1 / 8,
  /**
   * A share of the longest lease that a policy can have. A lease gives up at most a tenth of a bucket or 2 % of a window,
   * and `auto` states no length that permits more.
   */
  shareOfLongest: 1 / 5,
} as const;

/** The policy that Redis has to enforce so that isolates with leases keep the original one. */
export function tightenPolicy(policy: CompiledPolicy, leaseUs: number): CompiledPolicy {
  return completePolicy(policy, policy.implementation.lease.tighten(policy, leaseUs));
}

/** Whether the lease of a policy leaves enough of its quota. */
export function fitsLease(policy: CompiledPolicy): boolean {
  const { leaseUs = 0, autoLease, limit, implementation } = policy;
  const longestUs = implementation.lease.maxUs(policy);
  if (!autoLease) return leaseUs <= longestUs;
  return hasUnitsToLease(limit) && leaseUs <= longestUs * AUTO_LEASE.shareOfLongest;
}

/** Whether an automatic lease is ever taken under a limit. */
export function hasUnitsToLease(limit: number): boolean {
  return limit * AUTO_LEASE.shareOfLeft >= AUTO_LEASE.smallest;
}
