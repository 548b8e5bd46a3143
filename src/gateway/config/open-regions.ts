import { EVERY_FEATURE } from "../../features/every-feature.ts";
import type { Faults } from "../../options/faults.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { durableObjectRegion } from "../../store/durable-object-region.ts";
import type { ObjectNamespace } from "../../store/object-call.ts";
import { openClient } from "../../store/open-store.ts";
import type { LocationHint } from "../../store/region/location-hints.ts";
import type { NoteRegion, RegionStore } from "../../store/region/region-store.ts";
import type { Store } from "../../store/store.ts";
import { NO_REGION_BINDING, NO_REGION_OBJECTS } from "../rules/variable-messages.ts";
import type { Nearest } from "./nearest.ts";
import { type NearbyStore, type NearbyStores, STORES_NAME } from "./region-stores.ts";

/** The binding of the class `TidegateRegion`. */
export const BINDING = "NEARBY";

/** The parts that open the stores of regions besides their variables. */
interface RegionsParts {
  readonly openObjects: typeof durableObjectRegion | undefined;
  /** Counts for metrics; `undefined` where they are off. */
  readonly note: NoteRegion | undefined;
  readonly prefix: string;
  readonly timeoutMs: number;
}

/** Opens the stores nearby in front of their home; `undefined` after a fault. */
export function openRegions(
  home: Store,
  { stores, nearest }: NearbyStores,
  environment: Environment,
  { openObjects, note, prefix, timeoutMs }: RegionsParts,
  faults: Faults,
): Store | undefined {
  const openAt = objectsOpener(stores, environment, openObjects, faults);
  // The first one tells of home, so that home is asked once.
  const silent: Store = { ...home, inspect: async () => ({ store: "redis" }) };
  const opened = stores.map(({ name, redis, locationHint, variables }, i) => {
    const store = locationHint && openAt?.(locationHint);
    if (!redis && !store) return undefined;
    const paths: Readonly<Record<string, string>> = {
      "region.redis.url": variables.url,
      "region.redis.token": variables.token,
    };
    const placed = new PlacedFaults(faults, { pathsOf: (path) => [paths[path] ?? path] });
    return EVERY_FEATURE.regions.open(
      i === 0 ? home : silent,
      {
        name,
        store,
        openClient: (within) =>
          openClient(redis, environment, { timeoutMs, dialect: undefined }, undefined, within),
        timeoutMs,
        onStoreError: undefined,
        gateway: { note, prefix },
      },
      placed,
    );
  });
  const sound = opened.filter((store) => store !== undefined);
  if (sound.length < opened.length || !nearest) return sound[0];
  return atNearest(sound, nearest);
}

/** What opens the stores that are objects; `undefined` after a fault. */
function objectsOpener(
  stores: readonly NearbyStore[],
  environment: Environment,
  openObjects: typeof durableObjectRegion | undefined,
  faults: Faults,
): ((locationHint: LocationHint) => RegionStore) | undefined {
  const first = stores.find(({ locationHint }) => locationHint);
  const namespace = environment[BINDING];
  if (!first) return undefined;
  if (openObjects === undefined) {
    const path = `${STORES_NAME}.${first.name}.locationHint`;
    faults.add(path, first.locationHint, NO_REGION_OBJECTS);
    return undefined;
  }
  if (typeof namespace !== "object" || namespace === null) {
    faults.add(BINDING, namespace, NO_REGION_BINDING);
    return undefined;
  }
  return (locationHint) => openObjects(namespace as ObjectNamespace, { locationHint });
}

/** Calls the store that is nearest at the moment, and inspects each. */
function atNearest(stores: readonly Store[], nearest: Nearest): Store {
  const now = () => stores[nearest.now()]!;
  return {
    ...stores[0]!,
    async decide(...asked) {
      // Each has a clock of its own, which dates no other's answers.
      return { ...(await now().decide(...asked)), estimated: true };
    },
    noteDenied: (...denied) => now().noteDenied?.(...denied),
    reset: (keys) => now().reset(keys),
    // All of them, whoever asks: an alert is about the stores of others, too.
    async inspect() {
      const facts = await Promise.all(stores.map((store) => store.inspect!()));
      return { ...facts[0]!, regions: facts.flatMap(({ regions }) => regions!) };
    },
  };
}
