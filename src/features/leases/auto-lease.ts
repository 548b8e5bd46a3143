import { parseDuration } from "../../options/duration.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { AUTO_LEASE, hasUnitsToLease } from "../../policy/tighten.ts";
import { LEASE_RANGE } from "./read-lease.ts";

/**
 * With this many units, a request costs a thirty-second of a call. More units would save hardly any calls, and other
 * isolates would miss them.
 */
const UNITS = 32;

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
  const leaseUs = Math.min(MAX_US, Math.floor(longestUs * AUTO_LEASE.shareOfLongest));
  return leaseUs < parseDuration(LEASE_RANGE.min)! ? undefined : leaseUs;
}

function canLease(policy: CompiledPolicy): boolean {
  const { limit, role, refundable, shards } = policy;
  return hasUnitsToLease(limit) && role !== "denials" && !refundable && shards === 1;
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
  return Math.min(
    Math.floor(left * AUTO_LEASE.shareOfLeft),
    Math.max(UNITS, Math.ceil(2 * meanwhile)),
  );
}
