import { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { type MemoryStoreOptions, openMemoryStore } from "./memory-store.ts";
import type { Store } from "./store.ts";

/**
 * Counts in this isolate's memory: for a first run without Redis, and for tests. Each isolate counts alone, and its counts
 * end with it.
 *
 * @throws ConfigurationError with every fault
 * @example
 * createLimiter({ store: memoryStore(), policies: [fixedWindow({ limit: 100, window: "1m" })] })
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const faults = new Faults();
  const { maxEntries, maxBytes, now } = checkedOptions(
    options,
    ["maxEntries", "maxBytes", "now"],
    faults,
  );
  if (maxEntries !== undefined)
    checkPositiveInteger(maxEntries, Number.MAX_SAFE_INTEGER, "maxEntries", faults);
  if (maxBytes !== undefined)
    checkPositiveInteger(maxBytes, Number.MAX_SAFE_INTEGER, "maxBytes", faults);
  if (now !== undefined && typeof now !== "function") {
    faults.add("now", now, FUNCTION, "returns microseconds since 1970");
  }
  faults.throwIfAny();
  return openMemoryStore(options);
}
