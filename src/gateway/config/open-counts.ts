import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type {
  durableObjectStore,
  ObjectNamespace,
} from "../../store/durable-object/durable-object-store.ts";
import { EVERY_PART } from "../../store/every-part.ts";
import { memoryStore } from "../../store/memory-store.ts";
import { openStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { NO_DURABLE_OBJECTS, NO_OBJECT_BINDING } from "../messages/variables.ts";
import type { Variables } from "./variables.ts";

/** The binding of the class `TidegateObject`. */
const BINDING = "LIMITS";

/** Opens the store that `STORE` names; `undefined` after a fault. */
export function openCounts(
  { store, timeout, dialect }: Variables,
  environment: Environment,
  openObjects: typeof durableObjectStore | undefined,
  onCommand: (() => void) | undefined,
  faults: Faults,
): Store | undefined {
  if (store === "memory") return memoryStore();
  if (store === "redis") {
    return openStore(
      { ...(dialect && { dialect }), ...(timeout && { timeout }) },
      { ...EVERY_PART, onCommand },
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
