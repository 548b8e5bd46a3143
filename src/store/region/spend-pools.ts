import { EVEN, type KeptPool } from "./kept-pool.ts";
import {
  DENIED,
  HOME_DECIDES,
  MISSING,
  NOT_LOOKED_AT,
  ON_CREDIT,
  type PoolAnswer,
  type PoolRequest,
  REGION_ALLOWS,
  REGION_DENIES,
  SPENT,
} from "./pools.ts";

export interface Spent {
  readonly verdict: number;
  readonly pools: readonly PoolAnswer[];
}

/**
 * Decides a request by the units of its pools: the model of `lua/region/spend.lua`, in which each rule has its reason. A test compares
 * the two.
 */
export function spendPools(
  pools: readonly KeptPool[],
  nowUs: number,
  requests: readonly PoolRequest[],
): Spent {
  const asked = pools.map((pool, i) => {
    const request = requests[i]!;
    const rate = countDemand(pool, nowUs, request);
    return { pool, request, rate, state: stateOf(pool, nowUs, request, rate) };
  });
  const isDenied = asked.some(({ state }) => state === DENIED);
  const isMissing = asked.some(({ state }) => state === MISSING);
  return {
    verdict: isDenied ? REGION_DENIES : isMissing ? HOME_DECIDES : REGION_ALLOWS,
    pools: asked.map(({ pool, request, rate, state: own }) => {
      let state = own;
      if (isDenied && state !== DENIED) state = NOT_LOOKED_AT;
      // Home decides the request, and counts this cost with it.
      else if (state === ON_CREDIT && isMissing) state = MISSING;
      if (state === ON_CREDIT) pool.open += request.cost;
      const spentUntilUs = state === SPENT ? spendUnits(pool, request.cost) : 0;
      return answerOf(pool, nowUs, request, rate, state, spentUntilUs);
    }),
  };
}

/** Counts a request as demand, and returns that of the last term, by a sliding window of two counts. */
function countDemand(
  pool: KeptPool,
  nowUs: number,
  { termUs, cost, deniedHere }: PoolRequest,
): number {
  const terms = Math.floor((nowUs - pool.sinceUs) / termUs);
  if (terms > 0) {
    pool.before = terms === 1 ? pool.requested : 0;
    pool.requested = 0;
    pool.sinceUs += terms * termUs;
  }
  pool.requested += cost + deniedHere;
  return pool.before * (1 - (nowUs - pool.sinceUs) / termUs) + pool.requested;
}

function stateOf(
  pool: KeptPool,
  nowUs: number,
  { termUs, cost, credit }: PoolRequest,
  rate: number,
): number {
  const { left, open, pollAtUs, retryUntilUs, shortAtUs, tripUs } = pool;
  const isUnderWay = nowUs < pool.claimEndsUs;
  if (unitsOf(pool) >= cost) return SPENT;
  if (credit > 0 && left !== 0 && open + cost <= credit) return ON_CREDIT;
  if (pollAtUs > 0 && nowUs < pollAtUs + 2 * tripUs + termUs) {
    const isBusy = (rate * (tripUs + termUs / 4)) / termUs >= 3;
    const isEarly = nowUs < Math.max(retryUntilUs, pollAtUs);
    return isBusy || isUnderWay || isEarly ? DENIED : MISSING;
  }
  return isUnderWay && nowUs < shortAtUs + termUs ? DENIED : MISSING;
}

function unitsOf({ grants }: KeptPool): number {
  return grants.reduce((sum, { units }) => sum + units, 0);
}

/** Spends units, and returns until when the first of them would have been kept. */
function spendUnits(pool: KeptPool, cost: number): number {
  let rest = cost;
  let untilUs = 0;
  for (const grant of pool.grants) {
    const portion = Math.min(rest, grant.units);
    if (portion > 0) untilUs = untilUs === 0 ? grant.endsUs : Math.min(untilUs, grant.endsUs);
    grant.units -= portion;
    rest -= portion;
  }
  pool.lost = Math.max(0, pool.lost - cost);
  return untilUs;
}

function answerOf(
  pool: KeptPool,
  nowUs: number,
  request: PoolRequest,
  rate: number,
  state: number,
  spentUntilUs: number,
): PoolAnswer {
  const claim = claimOf(pool, nowUs, request, rate, state);
  const { retryUntilUs, pollAtUs, claimEndsUs, left, fullAtUs, open } = pool;
  const waitUs = Math.max(1, Math.max(retryUntilUs, pollAtUs, claimEndsUs) - nowUs);
  return {
    atUs: nowUs,
    state,
    left: left < 0 ? -1 : left + unitsOf(pool),
    waitUs: state === DENIED ? waitUs : 0,
    resetUs: Math.max(0, fullAtUs - nowUs),
    isClaimed: claim.isClaimed,
    order: { most: claim.most, need: claim.need, owed: claim.isClaimed ? open : 0 },
    spentUntilUs,
  };
}

/** Gives the request a claim on the next units, if it is time to take some. */
function claimOf(
  pool: KeptPool,
  nowUs: number,
  { termUs, plenty, ceiling }: PoolRequest,
  rate: number,
  state: number,
): { readonly isClaimed: boolean; readonly most: number; readonly need: number } {
  const { tripUs, left, shortAtUs, lost, open } = pool;
  const unclaimed = { isClaimed: false, most: 0, need: 0 };
  if (nowUs < pool.claimEndsUs || nowUs <= pool.claimUs) return unclaimed;
  const lastsUs = nowUs + 1.1 * tripUs + termUs / 50;
  const fresh = pool.grants.reduce(
    (sum, { endsUs, units }) => sum + (endsUs > lastsUs ? units : 0),
    0,
  );
  const isShort = left === 0;
  const isScarce = isShort || nowUs < shortAtUs + termUs;
  const isRich = !isScarce && left >= plenty;
  const isWasteful = lost > EVEN && !isRich;
  const meanwhile = (rate * tripUs) / termUs;
  const reserve = meanwhile + (isScarce || isWasteful ? 1 : 2) * Math.sqrt(meanwhile);
  const isLacking = state === MISSING || state === ON_CREDIT;
  const isDue = nowUs >= pool.pollAtUs && rate >= 2 && (state === DENIED || fresh < reserve);
  let most = 0;
  let need = 0;
  if (rate >= 2 && (isLacking || isDue)) {
    const cycle = Math.max(1, Math.floor(rate * Math.min(1, (tripUs + termUs / 4) / termUs)));
    let level = Math.max(reserve, 0.6 * rate);
    if (isScarce) level = cycle;
    else if (isWasteful) level = Math.max(reserve, rate / 2);
    else if (isRich) level = rate + 2 * Math.sqrt(rate);
    most = Math.min(ceiling, Math.max(1, Math.floor(level - fresh)));
    need = Math.min(most, Math.max(1, Math.floor(cycle - fresh)));
  }
  // A cold pool takes no claim: the answer to it has nothing to bring, but that home has none left.
  if (most === 0 && !(isLacking && (open > 0 || isShort))) return { ...unclaimed, most, need };
  pool.claimUs = nowUs;
  pool.claimEndsUs = nowUs + Math.floor(Math.min(termUs, Math.max(3 * tripUs, termUs / 4)));
  return { isClaimed: true, most, need };
}
