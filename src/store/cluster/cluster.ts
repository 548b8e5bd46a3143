import { HOLDS } from "../redis/holds.ts";
import { createSlotBreaker } from "./slot-breaker.ts";
import { splitStore } from "./split-store.ts";

/** Partitions on several masters of a Redis Cluster: each hash slot is asked by itself, and suspended by itself when it fails. */
export const cluster = {
  /** What one master took is given back when another denies. */
  scripts: { holds: HOLDS },
  createBreaker: createSlotBreaker,
  split: splitStore,
};
