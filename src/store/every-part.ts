import { cluster } from "./cluster/cluster.ts";
import type { RedisParts } from "./open-store.ts";
import { ALL_SCRIPTS } from "./redis/all-scripts.ts";
import { inspectRedis } from "./redis/inspect.ts";

/** The parts for a gateway, which has every feature and reports the state of its store. */
export const EVERY_PART = {
  scripts: ALL_SCRIPTS,
  cluster,
  inspect: inspectRedis,
} satisfies RedisParts;
