import { HOLDS } from "../redis/holds.ts";
import { createSlotBreaker } from "./slot-breaker.ts";
import { splitStore } from "./split-store.ts";

/**
 * Partitions on several masters of a Redis Cluster: each hash slot has its own calls, and is suspended alone when it
 * fails.
 */
export const cluster = {
  /** If one master denies, the others give their units back. */
  scripts: { holds: HOLDS },
  createBreaker: createSlotBreaker,
  split: splitStore,
};
