import { parseDuration } from "../../options/duration.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { LEASE_RANGE } from "./read-lease.ts";

/** The value of `lease` with which each isolate finds out what is worth a lease. */
export const AUTO = "auto";

/** A lease of fewer units saves hardly a call, and some would expire. */
export const SMALLEST = 4;

/**
 * What one automatic lease takes of what Redis has left, at most. So leases become smaller near the limit, and end where an
 * eighth is less than the smallest one: from there on Redis decides each request.
 */
const SHARE_OF_LEFT = 1 / 8;

/** So many units cost a thirty-second of a call each. More would save hardly any, and would be missing elsewhere. */
const UNITS = 32;

/**
 * Of the longest lease that a policy can have: it gives up at most a tenth of a bucket or 2 % of a window, and the person who
 * wrote it gave no length that says how much it may be.
 */
const SHARE_OF_LONGEST = 1 / 5;

/** Longer, people would notice that one isolate holds quota that the others lack. */
const MAX_US = 1_000_000;

/**
 * How long units of these policies, which are leased together, may be spent where nobody gave a length; `undefined` where Redis has to
 * decide each request.
 *
 * @param policies of one dimension, as they are without a plan and under each
 */
export function autoLeaseUs(policies: readonly CompiledPolicy[]): number | undefined {
  if (!policies.every(canLease)) return undefined;
  const longestUs = Math.min(
    ...policies.map((policy) => policy.implementation.lease.maxUs(policy)),
  );
  const leaseUs = Math.min(MAX_US, Math.floor(longestUs * SHARE_OF_LONGEST));
  return leaseUs < parseDuration(LEASE_RANGE.min)! ? undefined : leaseUs;
}

function canLease(policy: CompiledPolicy): boolean {
  const { limit, role, refundable, shards } = policy;
  return limit * SHARE_OF_LEFT >= SMALLEST && role !== "denials" && !refundable && shards === 1;
}

/** How many units an automatic lease takes at most. */
export interface AutoSize {
  /** The units that the store had left by its last answer. */
  readonly left: number;
  /** The units that are spent within a round trip. */
  readonly meanwhile: number;
}

/** Enough for two round trips, or for 32 requests. */
export function autoUnits({ left, meanwhile }: AutoSize): number {
  return Math.min(Math.floor(left * SHARE_OF_LEFT), Math.max(UNITS, Math.ceil(2 * meanwhile)));
}
