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

/**
 * The policy that Redis has to enforce so that isolates with leases keep the original one. Its key stays: the script counts a window
 * that is longer by the lease, and units go on counting when leases are switched on and off.
 */
export function tightenPolicy(policy: CompiledPolicy, leaseUs: number): CompiledPolicy {
  const { key, implementation } = policy;
  return { ...completePolicy(policy, implementation.lease.tighten(policy, leaseUs)), key };
}

/**
 * Whether the lease of a policy leaves enough of its quota. For windows this depends on the window alone, so that all policies of one
 * key are tightened alike.
 */
export function leavesEnough(policy: CompiledPolicy): boolean {
  const { leaseUs = 0, autoLease, implementation } = policy;
  const longestUs = implementation.lease.maxUs(policy);
  return leaseUs <= (autoLease ? longestUs * AUTO_LEASE.shareOfLongest : longestUs);
}

/** Whether isolates can lease a policy. */
export function fitsLease(policy: CompiledPolicy): boolean {
  return leavesEnough(policy) && (!policy.autoLease || hasUnitsToLease(policy.limit));
}

/** Whether an automatic lease is ever taken under a limit. */
export function hasUnitsToLease(limit: number): boolean {
  return limit * AUTO_LEASE.shareOfLeft >= AUTO_LEASE.smallest;
}
