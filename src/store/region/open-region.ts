import { DECIDE_ENFORCED } from "../../algorithms/scripts.generated.ts";
import type { StoreError } from "../../options/errors.ts";
import type { Faults } from "../../options/faults.ts";
import { REGION_OF_CLUSTER } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import { monotonicNow } from "../../runtime/time.ts";
import { createPlainBreaker } from "../breaker.ts";
import { createGuard } from "../guarded-store.ts";
import type { ScriptClient } from "../redis/client.ts";
import { redisStore, scriptRunner } from "../redis/store.ts";
import type { Store, StoreFacts } from "../store.ts";
import { openPools, poolKeyOf, type Pools } from "./pools.ts";
import type { NoteRegion } from "./region-counts.ts";
import { type HomeStore, regionalStore } from "./regional-store.ts";

/** The parts of a region besides the store that is its home. */
export interface RegionParts {
  readonly name: string;
  /** Opens the client of the store nearby; `undefined` after a fault. */
  readonly openClient: (faults: Faults) => ScriptClient | undefined;
  readonly timeoutMs: number;
  readonly onStoreError: ((error: StoreError) => void) | undefined;
  readonly gateway: GatewayParts | undefined;
}

/** The parts that a gateway adds to its region. */
export interface GatewayParts {
  /** Counts for metrics; `undefined` where they are off. */
  readonly note: NoteRegion | undefined;
  /** Begins the key of the health check, as all keys: an ACL of the regional Redis may allow no others. */
  readonly prefix: string;
}

/** Opens the store of a region; `undefined` after a fault. */
export function openRegion(
  home: Store,
  { name, openClient, timeoutMs, onStoreError, gateway }: RegionParts,
  faults: Faults,
): Store | undefined {
  const placed = new PlacedFaults(faults, { pathsOf: (path) => [`region.${path}`] });
  const opened = openClient(placed);
  if (!home.take) faults.add("region", name, REGION_OF_CLUSTER);
  if (!opened || !home.take) return undefined;
  const { client, dialect } = opened;
  const guard = createGuard(
    {
      name: `The region ${name}`,
      meanwhile: "home decides each request",
      afterwards: "it decides nearby again",
      timeoutMs,
      now: monotonicNow,
      onStoreError,
    },
    createPlainBreaker(),
  );
  const pools = openPools(scriptRunner(client, dialect));
  const counts = redisStore(client, { decide: DECIDE_ENFORCED }, dialect);
  const forget = (keys: readonly string[]) => guard.run(keys, () => counts.reset(keys));
  const store = regionalStore({
    home: home as HomeStore,
    pools: {
      spend: (keys, requests) => guard.run(keys, () => pools.spend(keys, requests)),
      put: (keys, ...brought) => guard.run(keys, () => pools.put(keys, ...brought)),
    } satisfies Pools,
    alone: {
      decide: (operation, keys, ...asked) =>
        guard.run(keys, async () => counts.decide(operation, keys, ...asked)),
    },
    forget: (keys) => forget(keys.map(poolKeyOf)),
    now: monotonicNow,
    note: gateway?.note,
  });
  const { inspect } = home;
  if (!inspect || !gateway) return store;
  // No identity maps to this partition, and the key is never written.
  const probe = poolKeyOf(`${gateway.prefix}:{#health}`);
  const inspectBoth = async (): Promise<StoreFacts> => {
    const [facts, code] = await Promise.all([
      inspect(),
      forget([probe]).then(
        () => undefined,
        (error: StoreError) => error.code,
      ),
    ]);
    return { ...facts, region: { name, ...(code && { code }) } };
  };
  return { ...store, inspect: inspectBoth };
}
