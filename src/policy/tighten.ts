import { type CompiledPolicy, completePolicy } from "./compile.ts";
import type { RegionTerms } from "./traits.ts";

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

/** The most units of a policy that isolates may hold or have let expire, all of them together. */
export interface LeaseBound {
  readonly most: number;
  /** The time for which an expired unit is missing, in microseconds; 0 if it comes back when the window ends. */
  readonly periodUs: number;
}

/** The part of a limit that leases may cost within a window. */
const BOUND = {
  share: 1 / 50,
  /**
   * In windows shorter than this, that share is spent within the time in which an isolate fetches its next lease, and leases
   * would save no calls. They may cost the same number of units as in a window of this length, and these units are missing
   * only briefly. In microseconds.
   */
  shortestUs: 10_000_000,
  /** In the shortest windows. */
  largestShare: 1 / 10,
} as const;

/** The units of a policy that leases may cost, however many isolates take them. */
export function leaseBoundOf({ limit, windowUs, implementation }: CompiledPolicy): LeaseBound {
  const periodUs = Math.max(windowUs, BOUND.shortestUs);
  const share = Math.min(BOUND.largestShare, BOUND.share * (periodUs / windowUs));
  return {
    most: Math.floor(limit * share),
    periodUs: implementation.lease.endsWithWindow ? 0 : Math.ceil(periodUs),
  };
}

/**
 * The policy that Redis has to enforce so that isolates with leases keep the original one. Its key stays: the script counts a window
 * that is longer by the lease, and units go on counting when leases are switched on and off.
 */
export function tightenPolicy(policy: CompiledPolicy, leaseUs: number): CompiledPolicy {
  const { key, implementation } = policy;
  return { ...completePolicy(policy, implementation.lease.tighten(policy, leaseUs)), key };
}

/** The policy that home has to enforce so that its regions keep the original one. Its key stays, as with a lease. */
export function tightenForRegion(
  policy: CompiledPolicy,
  region: RegionTerms,
  share?: CompiledPolicy,
): CompiledPolicy {
  const { key, limit, implementation } = policy;
  const { reserve, termUs } = region;
  const lowered =
    reserve === 0
      ? policy
      : { ...completePolicy(policy, implementation.partOf(policy, limit - reserve, 1)), key };
  return { ...tightenPolicy(lowered, termUs), region, ...(share && { share }) };
}

/** The part of a policy that each of so many regions enforces without home; `undefined` for a limit of fewer units. */
export function shareOfRegion(policy: CompiledPolicy, regions: number): CompiledPolicy | undefined {
  const { key, limit, implementation } = policy;
  const units = Math.floor(limit / regions);
  if (units === 0) return undefined;
  return { ...completePolicy(policy, implementation.partOf(policy, units, regions)), key };
}

/**
 * Whether the lease of a policy, or the term of its region, leaves enough of its quota. For windows this depends on the window
 * alone, so that all policies of one key are tightened alike.
 */
export function leavesEnough(policy: CompiledPolicy): boolean {
  const { leaseUs = 0, autoLease, region, implementation } = policy;
  const longestUs = implementation.lease.maxUs(policy);
  const heldUs = region?.termUs ?? leaseUs;
  return heldUs <= (autoLease ? longestUs * AUTO_LEASE.shareOfLongest : longestUs);
}

/** Whether isolates can lease a policy, or regions decide it. */
export function fitsLease(policy: CompiledPolicy): boolean {
  const { limit, autoLease, region } = policy;
  if (2 * (region?.reserve ?? 0) > limit) return false;
  return leavesEnough(policy) && (!autoLease || hasUnitsToLease(limit));
}

/** Whether an automatic lease is ever taken under a limit. */
export function hasUnitsToLease(limit: number): boolean {
  return limit * AUTO_LEASE.shareOfLeft >= AUTO_LEASE.smallest;
}
