import { EVERY_FEATURE } from "../../features/every-feature.ts";
import { partsOf } from "../../limiter/check-limiter.ts";
import type { StoreMeter } from "../../metrics/store-meter.ts";
import { parseDuration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { CountsPlace } from "../../store/counts-place.ts";
import type { durableObjectRegion } from "../../store/durable-object-region.ts";
import type { durableObjectStore } from "../../store/durable-object-store.ts";
import { DEFAULT_TIMEOUT_MS } from "../../store/guarded-store.ts";
import { openMemoryStore } from "../../store/memory-store.ts";
import type { ObjectNamespace } from "../../store/object-call.ts";
import { openStore } from "../../store/open-store.ts";
import { countedRedis } from "../../store/redis/counted-redis.ts";
import { endpointIn } from "../../store/redis/endpoint.ts";
import { inspectRedis } from "../../store/redis/inspect.ts";
import type { Store } from "../../store/store.ts";
import { NO_DURABLE_OBJECTS, NO_OBJECT_BINDING } from "../rules/variable-messages.ts";
import { openRegions } from "./open-regions.ts";
import type { NearbyStores } from "./region-stores.ts";
import type { Variables } from "./variables.ts";

/** The binding of the class `TidegateObject`. */
export const BINDING = "LIMITS";

/** The place where all isolates count together; `undefined` if they count apart, or if the variables name no place. */
export function countsPlace(
  { store, dialect }: Variables,
  environment: Environment,
): CountsPlace | undefined {
  if (store === "redis") return { kind: store, redis: { ...endpointIn(environment), dialect } };
  const objects = environment[BINDING];
  const isBound = store === "durable-object" && typeof objects === "object" && objects !== null;
  return isBound ? { kind: store, objects: objects as ObjectNamespace } : undefined;
}

/** The parts that open a store besides the variables. */
interface CountsParts {
  readonly openObjects: typeof durableObjectStore | undefined;
  /** Counts the commands of a Redis, and the work of a region; `undefined` where metrics are off. */
  readonly meter: StoreMeter | undefined;
  /** The stores nearby; `undefined` without regions. */
  readonly nearby: NearbyStores | undefined;
  readonly openNearbyObjects: typeof durableObjectRegion | undefined;
}

/** Opens the store that `STORE` names; `undefined` after a fault. */
export function openCounts(
  { store, prefix, timeout, dialect }: Variables,
  environment: Environment,
  { openObjects, meter, nearby, openNearbyObjects }: CountsParts,
  faults: Faults,
): Store | undefined {
  if (store === "memory") return openMemoryStore();
  if (store === "redis") {
    const home = openStore(
      { ...(dialect && { dialect }), ...(timeout && { timeout }), isHome: nearby !== undefined },
      {
        ...partsOf(EVERY_FEATURE),
        inspect: inspectRedis,
        counted: meter && countedRedis(meter.commands),
      },
      environment,
      faults,
    );
    if (!home || !nearby) return home;
    const timeoutMs = timeout ? parseDuration(timeout)! / 1000 : DEFAULT_TIMEOUT_MS;
    const parts = { openObjects: openNearbyObjects, note: meter?.region, prefix, timeoutMs };
    return openRegions(home, nearby, environment, parts, faults);
  }
  if (openObjects === undefined) {
    faults.add("STORE", store, NO_DURABLE_OBJECTS);
    return undefined;
  }
  const namespace = environment[BINDING];
  if (typeof namespace !== "object" || namespace === null) {
    faults.add(BINDING, namespace, NO_OBJECT_BINDING);
    return undefined;
  }
  return openObjects(namespace as ObjectNamespace, timeout ? { timeout } : {});
}
