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

/** A store nearby, as a region takes it. */
export interface RegionStore {
  /** Makes what finds its parts that fail. */
  createBreaker(): StoreBreaker;
  /** @param run guards a call */
  open(run: Guard["run"]): Nearby;
}

/** The counts of a region, for metrics. The position of each is its code in Redis, so that new ones come at the end. */
export const REGION_COUNTS = [
  /** Requests that waited for home. */
  "waits",
  /** Calls at home, also those that no request waited for. */
  "homeCalls",
  /** Units that were taken at home and that no request spent in time. */
  "unspentUnits",
  /** Promises to bring units that were not kept. */
  "lostClaims",
  /** Requests that the region did not answer. */
  "failures",
] as const;

export type RegionCount = (typeof REGION_COUNTS)[number];

/** Adds to a count. */
export type NoteRegion = (count: RegionCount, times: number) => void;
