import { partsOf } from "../../limiter/open-limiter.ts";
import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type {
  durableObjectStore,
  ObjectNamespace,
} from "../../store/durable-object/durable-object-store.ts";
import { openMemoryStore } from "../../store/memory-store.ts";
import { openStore } from "../../store/open-store.ts";
import type { WrapClient } from "../../store/redis/counted-client.ts";
import { inspectRedis } from "../../store/redis/inspect.ts";
import type { Store } from "../../store/store.ts";
import { NO_DURABLE_OBJECTS, NO_OBJECT_BINDING } from "../messages/variables.ts";
import type { RuleFeatures } from "../rules/features.ts";
import type { Variables } from "./variables.ts";

/** The binding of the class `TidegateObject`. */
const BINDING = "LIMITS";

/** The parts that open a store besides the variables. */
interface CountsParts {
  readonly features: RuleFeatures;
  readonly openObjects: typeof durableObjectStore | undefined;
  /** Puts something between Redis and its client. */
  readonly wrap: WrapClient | undefined;
}

/** Opens the store that `STORE` names; `undefined` after a fault. */
export function openCounts(
  { store, timeout, dialect }: Variables,
  environment: Environment,
  { features, openObjects, wrap }: CountsParts,
  faults: Faults,
): Store | undefined {
  if (store === "memory") return openMemoryStore();
  if (store === "redis") {
    return openStore(
      { ...(dialect && { dialect }), ...(timeout && { timeout }) },
      { ...partsOf(features), inspect: inspectRedis, wrap },
      environment,
      faults,
    );
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
