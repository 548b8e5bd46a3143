import type { KeptPool } from "./kept-pool.ts";
import type { Delivery, PutReply } from "./pools.ts";

/** Few grants in a pool: a further one joins another, and both keep the earlier end. */
const MOST_GRANTS = 6;

/** Units whose return would be the next one are dropped: the state stays small, however many requests are denied at once. */
const MOST_RETURNS = 32;

/** By how much a wait is shorter here, because home's clock may run faster. */
const SHORTER = 0.9995;

/**
 * Brings to a pool what home answered: the model of `lua/region/put.lua`, in which each rule has its reason. A test compares the two.
 *
 * @param id of this give-back
 */
export function putPool(pool: KeptPool, nowUs: number, delivery: Delivery, id: number): PutReply {
  const { termUs, atUs, isClaimed, units, lifeUs, paid } = delivery;
  const isOwn = isClaimed && pool.claimUs === atUs;
  if (isOwn) {
    pool.claimUs = 0;
    pool.claimEndsUs = 0;
    const tookUs = Math.min(nowUs - atUs, termUs);
    pool.tripUs = Math.max(tookUs, pool.tripUs + (tookUs - pool.tripUs) / 8);
    pool.open = Math.max(0, pool.open - paid);
  }
  const endsUs = atUs + lifeUs;
  const isInTime = units > 0 && isOwn && endsUs > nowUs;
  if (isInTime) addUnits(pool, endsUs, units);
  giveBack(pool, nowUs, delivery, id);
  learn(pool, nowUs, delivery);
  return { unspent: isInTime ? 0 : units, lostClaims: Number(isClaimed && !isOwn) };
}

function addUnits({ grants }: KeptPool, endsUs: number, units: number): void {
  const last = grants.at(-1);
  if (grants.length < MOST_GRANTS) {
    grants.push({ endsUs, units });
  } else {
    last!.endsUs = Math.min(last!.endsUs, endsUs);
    last!.units += units;
  }
}

function giveBack(
  { grants, returns }: KeptPool,
  nowUs: number,
  { back, backUntilUs, atUs }: Delivery,
  id: number,
): void {
  const isRepeated = returns.some((each) => each.id === id);
  // Before `atUs` only if the clock went back since.
  if (back === 0 || backUntilUs <= nowUs || nowUs < atUs || isRepeated) return;
  if (returns.length >= MOST_RETURNS) return;
  returns.push({ endsUs: backUntilUs, id });
  const [first] = grants;
  if (grants.length < MOST_GRANTS) {
    grants.unshift({ endsUs: backUntilUs, units: back });
  } else {
    first!.endsUs = Math.min(first!.endsUs, backUntilUs);
    first!.units += back;
  }
}

/** Room is known only by a call that was sent after the last answer without room had arrived. */
function learn(
  pool: KeptPool,
  nowUs: number,
  { termUs, atUs, left, againUs, resetUs }: Delivery,
): void {
  if (left < 0 || nowUs < atUs || (left > 0 && atUs < pool.shortAtUs)) return;
  pool.left = left;
  pool.fullAtUs = atUs + resetUs;
  pool.retryUntilUs = 0;
  pool.pollAtUs = 0;
  if (left > 0) return;
  const freeUs = atUs + Math.floor(againUs * SHORTER);
  pool.shortAtUs = nowUs;
  pool.retryUntilUs = freeUs;
  // Asks again after a pause, so that the answer is there when the wait is over.
  pool.pollAtUs = Math.max(nowUs + Math.floor(termUs / 4), freeUs - Math.floor(pool.tripUs));
}
