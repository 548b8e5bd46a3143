import { refund } from "../algorithms/all.ts";
import { type Operation, type Slot, wholeUnits } from "../algorithms/model.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import { leaseTogether } from "./lease-together.ts";
import { extendSlots, giveBackSlot } from "./memory-slots.ts";
import { createMemory, type Memory } from "./memory.ts";
import type { MemoryBounds, States } from "./states.ts";
import type { DecidedAt, LeaseRequest, Reply, Store } from "./store.ts";

/** A store that counts in this process, so that its answers are synchronous. */
export interface SynchronousStore {
  decide(
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CountedPolicy[],
    slot?: Slot,
    lease?: LeaseRequest,
  ): Reply;
  refund(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CountedPolicy[],
    decidedAt: DecidedAt,
    slot?: Slot,
  ): readonly number[];
  extend(
    keys: readonly string[],
    policies: readonly CountedPolicy[],
    slot: Slot,
  ): readonly boolean[];
  reset(keys: readonly string[]): void;
}

/** The options of `memoryStore()`. */
export interface MemoryStoreOptions extends MemoryBounds {
  /** The clock of the counts, in microseconds since 1970. Default: `Date.now() * 1000`. */
  readonly now?: () => number;
}

/**
 * Counts in this isolate's memory, with options that are checked already. Each isolate counts alone, and its counts end
 * with it.
 */
export function openMemoryStore({
  now = () => Date.now() * 1000,
  ...bounds
}: MemoryStoreOptions = {}): Store {
  return { now, ...storeOver(createMemory(bounds), now) };
}

/** A store over this memory and this clock, in microseconds since 1970. */
export function storeOver(memory: Memory, now: () => number): SynchronousStore {
  return {
    decide(operation, keys, costs, policies, slot, lease) {
      const nowUs = now();
      return operation === "lease"
        ? leaseTogether(memory, nowUs, keys, costs[0]!, policies, lease)
        : memory.decide(nowUs, operation, keys, costs, policies, slot);
    },
    refund: (keys, costs, policies, { nowUs }, slot) =>
      refundInMemory(memory, now(), keys, costs, policies, nowUs, slot),
    extend: (keys, policies, slot) => extendSlots(memory, now(), keys, policies, slot),
    reset: (keys) => memory.reset(keys),
  };
}

/** Gives units back as a store does, at this moment. */
export function refundInMemory(
  states: States,
  nowUs: number,
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CountedPolicy[],
  takenAtUs: number,
  slot?: Slot,
): number[] {
  return keys.map((key, i) => {
    const { algorithm, implementation, limit, parameters } = policies[i]!;
    if (implementation.hasSlots) return giveBackSlot(states, nowUs, key, slot);
    const entry = states.entry(key);
    if (!entry || costs[i] === 0) return 0;
    const request = { nowUs, takenAtUs, cost: costs[i]!, limit, parameters };
    const { refunded, state } = refund(algorithm, entry.state, request);
    states.keep(key, state, entry.endsUs);
    return wholeUnits(refunded, parameters);
  });
}

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
