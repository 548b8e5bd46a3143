import { parseDuration } from "../../options/duration.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { LEASE_RANGE } from "./read-lease.ts";

/** The value of `lease` with which each isolate chooses leases by itself. */
export const AUTO = "auto";

/** A smaller lease saves hardly a call, and some of its units would expire. */
export const SMALLEST = 4;

/**
 * The largest share of the remaining units that one automatic lease takes. So leases shrink near the limit, and end
 * when an eighth is less than the smallest lease. From there on Redis decides each request.
 */
const SHARE_OF_LEFT = 1 / 8;

/**
 * With this many units, a request costs a thirty-second of a call. More units would save hardly any calls, and other
 * isolates would miss them.
 */
const UNITS = 32;

/**
 * A share of the longest lease that a policy can have. A lease gives up at most a tenth of a bucket or 2 % of a window,
 * and `auto` states no length that permits more.
 */
const SHARE_OF_LONGEST = 1 / 5;

/** With a longer lease, clients would notice that one isolate holds quota that the others lack. */
const MAX_US = 1_000_000;

/**
 * The length of an automatic lease of these policies, which are leased together; `undefined` if Redis has to decide
 * each request.
 *
 * @param policies of one dimension, without a plan and under each plan
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

/** The limits of an automatic lease's size. */
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
