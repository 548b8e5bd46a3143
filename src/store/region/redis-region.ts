import { DECIDE_LOGS } from "../../algorithms/scripts.generated.ts";
import { createPlainBreaker } from "../breaker.ts";
import type { ScriptClient } from "../redis/client.ts";
import { redisStore, scriptRunner } from "../redis/store.ts";
import { openPools, poolKeyOf } from "./pools.ts";
import type { RegionStore } from "./region-store.ts";

/** A Redis nearby. */
export function redisRegion({ client, dialect }: ScriptClient): RegionStore {
  const pools = openPools(scriptRunner(client, dialect));
  const counts = redisStore(client, { decide: DECIDE_LOGS }, dialect);
  return {
    createBreaker: createPlainBreaker,
    open: (run) => ({
      pools: {
        spend: (keys, requests) => run(keys, () => pools.spend(keys, requests)),
        put: (keys, deliveries) => run(keys, () => pools.put(keys, deliveries)),
      },
      alone: {
        decide: (operation, keys, ...asked) =>
          run(keys, async () => counts.decide(operation, keys, ...asked)),
      },
      forget: (keys) => run(keys, () => counts.reset(keys.map(poolKeyOf))),
    }),
  };
}
