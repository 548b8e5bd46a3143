import { DurableObject } from "#durable-object";

import type { Operation, Slot } from "../algorithms/model.ts";
import { type KeptControl, keptControl } from "./control/kept-control.ts";
import { type KeptCounts, keepCounts, type ObjectStorage } from "./durable-object-counts.ts";
import { type PolicyData, withAlgorithm } from "./durable-object-policies.ts";
import { type KeptMetrics, keptMetrics } from "./kept-metrics.ts";
import type { LeaseRequest, Reply } from "./store.ts";

/**
 * Counts one partition, or has the control data or the metrics of a gateway. Export it from the worker's main module, bind it with
 * SQLite storage in `wrangler.toml`, and pass the binding to `durableObjectStore()`.
 *
 * @example
 * export { TidegateObject } from "tidegate/durable-object";
 */
export class TidegateObject extends DurableObject {
  /** The brand by which the platform's types recognise a Durable Object class. */
  declare readonly __DURABLE_OBJECT_BRAND: never;

  readonly #counts: KeptCounts;
  readonly #control: KeptControl;
  readonly #metrics: KeptMetrics;

  constructor(context: { readonly storage: ObjectStorage }, environment: unknown) {
    super(context, environment);
    this.#counts = keepCounts(context.storage, () => Date.now() * 1000);
    this.#control = keptControl(context.storage.kv, () => Date.now());
    this.#metrics = keptMetrics(context.storage.kv, () => Date.now());
  }

  decide(
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly PolicyData[],
    ...more: [slot?: Slot, lease?: LeaseRequest]
  ): Reply {
    return this.#counts.decide(operation, keys, costs, policies.map(withAlgorithm), ...more);
  }

  refund(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly PolicyData[],
    takenAtUs: number,
    slot?: Slot,
  ): readonly number[] {
    const decidedAt = { nowUs: takenAtUs };
    return this.#counts.refund(keys, costs, policies.map(withAlgorithm), decidedAt, slot);
  }

  extend(keys: readonly string[], policies: readonly PolicyData[], slot: Slot): readonly boolean[] {
    return this.#counts.extend(keys, policies.map(withAlgorithm), slot);
  }

  reset(keys: readonly string[]): void {
    this.#counts.reset(keys);
  }

  /** Answers for the control data, in the one object of a gateway that has it. */
  control(name: keyof KeptControl, args: readonly unknown[]): unknown {
    return (this.#control[name] as (...given: readonly unknown[]) => unknown)(...args);
  }

  /** Adds up the metrics, in the one object of a gateway that has them. */
  metrics(name: keyof KeptMetrics, args: readonly unknown[]): unknown {
    return (this.#metrics[name] as (...given: readonly unknown[]) => unknown)(...args);
  }

  alarm(): Promise<void> {
    return this.#counts.sweep();
  }
}
