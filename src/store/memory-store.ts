import type { AskPolicy } from "./decide-together.ts";
import { leaseTogether } from "./lease-together.ts";
import { refundInMemory } from "./memory-refund.ts";
import { extendSlots } from "./memory-slots.ts";
import { createMemory, type MemoryBounds } from "./memory.ts";
import type { Store } from "./store.ts";

export interface MemoryStoreOptions extends MemoryBounds {
  /** The clock to count by, in microseconds since 1970. Default: `Date.now() * 1000`. */
  readonly now?: () => number;
}

/**
 * Counts in this isolate's memory: for a first run without Redis, for tests, and as the fallback during an outage. Each
 * isolate counts alone, and its counts end with it.
 *
 * @example
 * createLimiter({ store: memoryStore(), policies: [fixedWindow({ limit: 100, window: "1m" })] })
 */
export function memoryStore({
  now = () => Date.now() * 1000,
  ...bounds
}: MemoryStoreOptions = {}): Store {
  const memory = createMemory(bounds);
  return {
    now,
    decide(operation, keys, costs, policies, slot) {
      const nowUs = now();
      if (operation !== "lease") {
        return memory.decide(nowUs, operation, keys, costs, policies, slot);
      }
      const lease = (ask: AskPolicy) => leaseTogether(costs[0]!, policies, ask);
      return { nowUs, ...memory.transact(nowUs, keys, policies, lease) };
    },
    refund: (keys, costs, policies, { nowUs }, slot) =>
      refundInMemory(memory, now(), keys, costs, policies, nowUs, slot),
    extend: (keys, policies, slot) => extendSlots(memory, now(), keys, policies, slot),
    reset: (keys) => memory.reset(keys),
  };
}
