import type { PoolRequest } from "./pools.ts";

/** Units of one take, and until when they may be spent. */
export interface Grant {
  endsUs: number;
  units: number;
}

/** A pool in the memory of an object: what `lua/region/read.lua` describes, by the same names. */
export interface KeptPool {
  claimUs: number;
  claimEndsUs: number;
  tripUs: number;
  sinceUs: number;
  requested: number;
  before: number;
  /** -1 before home's first answer. */
  left: number;
  retryUntilUs: number;
  pollAtUs: number;
  /** Units on credit that home has not counted. */
  open: number;
  shortAtUs: number;
  lost: number;
  fullAtUs: number;
  grants: Grant[];
  /** Give-backs, by which a repeated one is known. */
  returns: { readonly endsUs: number; readonly id: number }[];
  /** From then on nothing in it matters. */
  endsUs: number;
}

/** The memory of wasted units at first, which is even. */
export const EVEN = 512;

/** The most that `lost` counts, in 64ths of a unit. */
const MOST_LOST = 2 ** 40;

/** The most units that the demand of a term counts, in 64ths. */
const MOST_DEMAND = 2 ** 47;

export function emptyPool(nowUs: number): KeptPool {
  return {
    claimUs: 0,
    claimEndsUs: 0,
    tripUs: 0,
    sinceUs: nowUs,
    requested: 0,
    before: 0,
    left: -1,
    retryUntilUs: 0,
    pollAtUs: 0,
    open: 0,
    shortAtUs: 0,
    lost: EVEN,
    fullAtUs: 0,
    grants: [],
    returns: [],
    endsUs: 0,
  };
}

/** Drops the units that have expired, and returns how many. */
export function dropExpired(pool: KeptPool, nowUs: number): number {
  const expired = pool.grants.reduce(
    (sum, { endsUs, units }) => sum + (endsUs > nowUs ? 0 : units),
    0,
  );
  pool.grants = pool.grants.filter(({ endsUs }) => endsUs > nowUs);
  pool.returns = pool.returns.filter(({ endsUs }) => endsUs > nowUs);
  pool.lost = Math.min(MOST_LOST, pool.lost + 64 * expired);
  return expired;
}

/** The clock went back: of no unit is it known how long ago it was taken. */
export function rewind(pool: KeptPool, nowUs: number): void {
  const { tripUs, left, open, lost } = pool;
  Object.assign(pool, { ...emptyPool(nowUs), tripUs, left, open, lost, endsUs: Infinity });
}

/** Keeps a pool as the scripts write one, for as long as anything in it matters: its units, a wait, the demand, and open credit. */
export function keepPool(
  pool: KeptPool,
  nowUs: number,
  { termUs, keepUs }: Pick<PoolRequest, "termUs" | "keepUs">,
): void {
  pool.requested = in64ths(pool.requested);
  pool.before = in64ths(pool.before);
  pool.tripUs = Math.floor(pool.tripUs);
  pool.grants = pool.grants.filter(({ units }) => units > 0);
  const polledUs = pool.pollAtUs > 0 ? pool.pollAtUs + 2 * pool.tripUs + termUs : 0;
  const creditUs = pool.open > 0 ? nowUs + keepUs : 0;
  pool.endsUs = Math.max(nowUs + 2 * termUs, pool.retryUntilUs, polledUs, creditUs);
}

function in64ths(units: number): number {
  return Math.min(MOST_DEMAND, Math.floor(64 * units)) / 64;
}
