import { clusterFeature } from "../../../src/features/cluster-feature.ts";
import type { RedisParts } from "../../../src/store/open-store.ts";
import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import { clients } from "../../../src/store/redis/client-adapter.ts";
import { inspectRedis } from "../../../src/store/redis/inspect.ts";

/** The parts of the store of a gateway with every feature. */
export const EVERY_PART = {
  scripts: ALL_SCRIPTS,
  clients,
  cluster: clusterFeature,
  inspect: inspectRedis,
} satisfies RedisParts;
