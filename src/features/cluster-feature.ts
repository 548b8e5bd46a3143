import { createSlotBreaker } from "../store/cluster/slot-breaker.ts";
import { splitStore } from "../store/cluster/split-store.ts";
import { HOLDS } from "../store/redis/hold-calls.ts";
import { partialAnswer } from "./partial-answer.ts";

/**
 * Partitions on several masters of a Redis Cluster: each hash slot has its own calls, and is suspended alone when it
 * fails.
 */
export const cluster = {
  /** If one master denies, the others give their units back. */
  scripts: { holds: HOLDS },
  createBreaker: createSlotBreaker,
  split: splitStore,
  partialAnswer,
};
