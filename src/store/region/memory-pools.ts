import { setRecent } from "../../runtime/lru.ts";
import { dropExpired, emptyPool, type KeptPool, keepPool, rewind } from "./kept-pool.ts";
import type { Delivery, PoolRequest, PutReply, SpendReply } from "./pools.ts";
import { putPool } from "./put-pool.ts";
import { spendPools } from "./spend-pools.ts";

/** The pools of one partition, in the memory of the object that has them: `Pools`, at once. */
export interface MemoryPools {
  spend(keys: readonly string[], requests: readonly PoolRequest[]): SpendReply;
  /** @param id of the give-back */
  put(keys: readonly string[], deliveries: readonly Delivery[], id: number): PutReply;
  forget(keys: readonly string[]): void;
}

/**
 * A partition has a pool for each of its policies. A forgotten one has lost its units, and with credit counts as a further region, so
 * that there is room for more than any gateway has rules.
 */
const MAX_POOLS = 10_000;

/**
 * Pools in memory. A claim is known by its time, so that this clock never says the same time twice; and if the given one goes back,
 * every pool loses its units.
 *
 * @param wall microseconds since 1970; it may stand still, and step
 */
export function createMemoryPools(wall: () => number): MemoryPools {
  const kept = new Map<string, KeptPool>();
  let wallUs = 0;
  let lastUs = 0;

  function tick(): number {
    const readUs = wall();
    if (readUs < wallUs) {
      lastUs = readUs - 1;
      for (const pool of kept.values()) rewind(pool, readUs);
    }
    wallUs = readUs;
    return (lastUs = Math.max(readUs, lastUs + 1));
  }

  function poolAt(key: string, nowUs: number): KeptPool {
    const found = kept.get(key);
    const pool = found && nowUs < found.endsUs ? found : emptyPool(nowUs);
    setRecent(kept, key, pool, MAX_POOLS);
    return pool;
  }

  return {
    spend(keys, requests) {
      const nowUs = tick();
      const pools = keys.map((key) => poolAt(key, nowUs));
      const unspent = pools.reduce((sum, pool) => sum + dropExpired(pool, nowUs), 0);
      const answer = spendPools(pools, nowUs, requests);
      pools.forEach((pool, i) => keepPool(pool, nowUs, requests[i]!));
      return { nowUs, unspent, ...answer };
    },

    put(keys, deliveries, id) {
      const nowUs = tick();
      let unspent = 0;
      let lostClaims = 0;
      keys.forEach((key, i) => {
        const pool = poolAt(key, nowUs);
        unspent += dropExpired(pool, nowUs);
        const reply = putPool(pool, nowUs, deliveries[i]!, id);
        unspent += reply.unspent;
        lostClaims += reply.lostClaims;
        keepPool(pool, nowUs, deliveries[i]!);
      });
      return { unspent, lostClaims };
    },

    forget(keys) {
      for (const key of keys) kept.delete(key);
    },
  };
}
