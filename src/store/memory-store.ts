import type { Operation, Slot } from "../algorithms/model.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import { leaseTogether } from "./lease-together.ts";
import { refundInMemory } from "./memory-refund.ts";
import { extendSlots } from "./memory-slots.ts";
import { createMemory, type Memory } from "./memory.ts";
import type { MemoryBounds } from "./states.ts";
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
