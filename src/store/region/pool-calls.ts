import type { CompiledPolicy } from "../../policy/compile.ts";
import { hasUnitsToLease } from "../../policy/tighten.ts";
import type { TakenReply } from "../store.ts";
import type { DeniedHere } from "./denied-here.ts";
import { type Delivery, type PoolAnswer, type PoolRequest, SPENT } from "./pools.ts";

/**
 * By how much the region's clock may run slower than home's during one term, as a share: NTP slews a clock by at most
 * 500 ppm.
 */
const DRIFT = 5e-4;

/** A term by the region's clock, which may run slower than home's. */
function asSpent(termUs: number): number {
  return Math.floor(termUs * (1 - DRIFT));
}

/** The question to the pool of a policy that a region decides. */
export function requestOf(
  { limit, windowUs, implementation, region }: CompiledPolicy,
  key: string,
  cost: number,
  deniedHere: DeniedHere,
): PoolRequest {
  const { credit } = region!;
  const termUs = asSpent(region!.termUs);
  return {
    termUs,
    cost,
    credit,
    // By then home has what was admitted on credit, or its window has passed.
    keepUs: 2 * windowUs,
    // Units of a bucket that is half full come back while few ask; those of a window would be missing until it ends.
    plenty: implementation.refillsEvenly ? Math.floor(limit / 2) : Number.MAX_SAFE_INTEGER,
    ceiling: hasUnitsToLease(limit) ? limit : 0,
    deniedHere: deniedHere.take(key, termUs),
  };
}

/** The delivery that brings no units: it gives back what a request spent that is not admitted. */
export function giveBackOf(
  { termUs, keepUs, cost }: PoolRequest,
  { atUs, state, spentUntilUs }: PoolAnswer,
  isGivenBack: boolean,
): Delivery {
  return {
    termUs,
    atUs,
    keepUs,
    isClaimed: false,
    units: 0,
    lifeUs: 0,
    left: -1,
    againUs: 0,
    resetUs: 0,
    paid: 0,
    back: isGivenBack && state === SPENT ? cost : 0,
    backUntilUs: spentUntilUs,
  };
}

/**
 * The delivery of a request to a pool.
 *
 * @param at the place of the policy in home's answer; -1 if home was not asked about it
 * @param taken home's answer; `undefined` if none came
 * @param isGivenBack whether the request is not admitted, so that it gives back what it spent
 */
export function deliveryOf(
  request: PoolRequest,
  answer: PoolAnswer,
  policy: CompiledPolicy,
  at: number,
  taken: TakenReply | undefined,
  isGivenBack: boolean,
): Delivery {
  const back = giveBackOf(request, answer, isGivenBack);
  const row = taken?.rows[at];
  if (!row) return back;
  const { termUs } = request;
  const { isClaimed, order } = answer;
  const endsUs = policy.implementation.lease.endsWithWindow ? asSpent(row.resetAfterUs) : termUs;
  return {
    ...back,
    isClaimed,
    units: taken!.taken[at]!,
    lifeUs: Math.min(termUs, endsUs),
    left: row.remaining,
    againUs: taken!.againUs[at]!,
    resetUs: row.resetAfterUs,
    paid: isClaimed ? order.owed : 0,
  };
}
