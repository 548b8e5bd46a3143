import { DurableObject } from "#durable-object";

import type { Operation } from "../algorithms/model.ts";
import { type PolicyData, withAlgorithm } from "./durable-object-policies.ts";
import { storeOver, type SynchronousStore } from "./memory-store.ts";
import { createMemory } from "./memory.ts";
import { createMemoryPools, type MemoryPools } from "./region/memory-pools.ts";
import type { Delivery, PoolRequest, PutReply, SpendReply } from "./region/pools.ts";
import type { Reply } from "./store.ts";

/** An object's clock shows whole milliseconds, so that units may seem to have this much time left when they have none. */
const CLOCK_STEP_US = 1_000;

const now = () => Date.now() * CLOCK_STEP_US;

/**
 * Has the units that a region may spend of one partition, in its memory: it stores nothing, and what it forgets comes back at home.
 * Export it from the worker's main module, bind it in `wrangler.toml`, and pass the binding to `durableObjectRegion()`.
 *
 * @example
 * export { TidegateRegion } from "tidegate/durable-object";
 */
export class TidegateRegion extends DurableObject {
  /** The brand by which the platform's types recognise a Durable Object class. */
  declare readonly __DURABLE_OBJECT_BRAND: never;

  readonly #pools: MemoryPools;
  /** Counts while home gives no answer. */
  readonly #counts: SynchronousStore;

  constructor(context: object, environment: unknown) {
    super(context, environment);
    this.#pools = createMemoryPools(now);
    this.#counts = storeOver(createMemory(), now);
  }

  spend(keys: readonly string[], requests: readonly PoolRequest[]): SpendReply {
    return this.#pools.spend(keys, requests);
  }

  put(keys: readonly string[], deliveries: readonly Delivery[], id: number): PutReply {
    const inTime = deliveries.map((delivery) => ({
      ...delivery,
      lifeUs: delivery.lifeUs - CLOCK_STEP_US,
    }));
    return this.#pools.put(keys, inTime, id);
  }

  decide(
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly PolicyData[],
  ): Reply {
    return this.#counts.decide(operation, keys, costs, policies.map(withAlgorithm));
  }

  refund(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly PolicyData[],
    takenAtUs: number,
  ): readonly number[] {
    return this.#counts.refund(keys, costs, policies.map(withAlgorithm), { nowUs: takenAtUs });
  }

  forget(keys: readonly string[]): void {
    this.#pools.forget(keys);
  }
}
