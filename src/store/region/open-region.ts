import { DECIDE_LOGS } from "../../algorithms/scripts.generated.ts";
import type { StoreError } from "../../options/errors.ts";
import type { Faults } from "../../options/faults.ts";
import { REGION_OF_CLUSTER } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import { monotonicNow } from "../../runtime/time.ts";
import { createPlainBreaker } from "../breaker.ts";
import { createGuard, type GuardWords } from "../guarded-store.ts";
import type { ScriptClient } from "../redis/client.ts";
import { redisStore, scriptRunner } from "../redis/store.ts";
import type { Store, StoreFacts } from "../store.ts";
import { openPools, poolKeyOf } from "./pools.ts";
import type { NoteRegion, RegionStore } from "./region-store.ts";
import { type HomeStore, regionalStore } from "./regional-store.ts";

/** Messages call it what the documents call it: the store nearby may be a Redis, too. */
export const HOME_WORDS: GuardWords = {
  name: "Home",
  meanwhile: "each region spends what it holds, then each policy's onFailure decides",
};

/** The parts of a region besides the store that is its home. */
export interface RegionParts {
  readonly name: string;
  /** The store nearby, if it is no Redis. */
  readonly store: RegionStore | undefined;
  /** Opens the client of a Redis nearby; `undefined` after a fault. */
  readonly openClient: (faults: Faults) => ScriptClient | undefined;
  readonly timeoutMs: number;
  readonly onStoreError: ((error: StoreError) => void) | undefined;
  /** The parts that a gateway adds. */
  readonly gateway?: GatewayParts;
}

export interface GatewayParts {
  /** Counts for metrics; `undefined` where they are off. */
  readonly note: NoteRegion | undefined;
  /** Begins the key of the health check, as all keys: an ACL of the regional Redis may allow no others. */
  readonly prefix: string;
}

/** Opens the store of a region; `undefined` after a fault. */
export function openRegion(
  home: Store,
  { name, store: given, openClient, timeoutMs, onStoreError, gateway }: RegionParts,
  faults: Faults,
): Store | undefined {
  const placed = new PlacedFaults(faults, { pathsOf: (path) => [`region.${path}`] });
  const client = given ? undefined : openClient(placed);
  if (!home.take) faults.add("region", name, REGION_OF_CLUSTER);
  const nearby = given ?? (client && redisRegion(client));
  if (!nearby || !home.take) return undefined;
  const guard = createGuard(
    {
      name: `The region ${name}`,
      region: name,
      meanwhile: "home decides each request",
      afterwards: "it decides nearby again",
      timeoutMs,
      now: monotonicNow,
      onStoreError,
    },
    nearby.createBreaker(),
  );
  const calls = nearby.open(guard.run);
  const store = regionalStore({
    home: home as HomeStore,
    ...calls,
    now: monotonicNow,
    note: gateway?.note,
  });
  const { inspect } = home;
  if (!inspect || !gateway) return store;
  // No identity maps to this partition, and nothing is kept there.
  const probe = `${gateway.prefix}:{#health}`;
  const inspectBoth = async (): Promise<StoreFacts> => {
    const [facts, code] = await Promise.all([
      inspect(),
      calls.forget([probe]).then(
        () => undefined,
        (error: StoreError) => error.code,
      ),
    ]);
    return { ...facts, regions: [{ name, ...(code && { code }) }] };
  };
  return { ...store, inspect: inspectBoth };
}

/** A Redis nearby. */
function redisRegion({ client, dialect }: ScriptClient): RegionStore {
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
