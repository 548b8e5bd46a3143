import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../../src/store/redis/client.ts";
import { redisStore, scriptRunner } from "../../../src/store/redis/store.ts";
import { createMemoryPools, type MemoryPools } from "../../../src/store/region/memory-pools.ts";
import { poolsPerPartition } from "../../../src/store/region/pools-per-partition.ts";
import { giveBackId, openPools, poolKeyOf, type Pools } from "../../../src/store/region/pools.ts";

/** Sends a call to the store nearby, which may carry it out twice, late or never. */
type Send = <Of>(run: () => Of | Promise<Of>) => Promise<Of>;

/** The pools of a region, as its isolates reach them. */
export interface NearbyPools {
  /** @param note is told the keys of a request when a server counts them */
  open(send: Send, note: (keys: readonly string[]) => void): Pools;
  forget(send: Send, keys: readonly string[]): Promise<unknown>;
  /** Forgets all that is kept in memory. */
  flush(): void;
}

export function redisPools(client: RedisClient): NearbyPools {
  const run = scriptRunner(client, { firstLine: "" });
  const pools = openPools(run);
  const counts = redisStore(client, ALL_SCRIPTS);
  return {
    open: (send, note) => ({
      spend: (keys, requests) =>
        send(() => {
          note(keys);
          return pools.spend(keys, requests);
        }),
      // What is sent again has the same id.
      put: (...brought) => openPools((...sent) => send(() => run(...sent))).put(...brought),
    }),
    forget: (send, keys) => send(async () => counts.reset(keys.map(poolKeyOf))),
    flush: () => {},
  };
}

/** An object for each partition, with the pools of its policies in memory. */
export function objectPools(now: () => number): NearbyPools {
  const objects = new Map<string, MemoryPools>();
  const objectOf = (key: string) => {
    const partition = key.slice(0, key.indexOf("}:"));
    const object = objects.get(partition) ?? createMemoryPools(now);
    objects.set(partition, object);
    return object;
  };
  return {
    open: (send, note) =>
      poolsPerPartition({
        spend: (keys, requests) =>
          send(() => {
            note(keys);
            return objectOf(keys[0]!).spend(keys, requests);
          }),
        put(keys, deliveries) {
          const id = giveBackId();
          return send(() => objectOf(keys[0]!).put(keys, deliveries, id));
        },
      }),
    forget: (send, keys) => Promise.all(keys.map((key) => send(() => objectOf(key).forget([key])))),
    flush: () => objects.clear(),
  };
}
