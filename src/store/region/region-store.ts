import type { StoreBreaker } from "../breaker.ts";
import type { Guard } from "../guarded-store.ts";
import type { Store } from "../store.ts";
import type { Pools } from "./pools.ts";

/** The calls of a store nearby. */
export interface Nearby {
  readonly pools: Pools;
  /** Counts in the region, while home gives no answer. */
  readonly alone: Pick<Store, "decide">;
  /** Forgets the pools of these policies. */
  forget(keys: readonly string[]): Promise<unknown>;
}

/** A store near an isolate, in which a region counts. */
export interface RegionStore {
  /** Makes what finds its parts that fail. */
  createBreaker(): StoreBreaker;
  /** @param run guards a call */
  open(run: Guard["run"]): Nearby;
}
