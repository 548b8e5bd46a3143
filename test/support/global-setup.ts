import type { TestProject } from "vitest/node";

import { startBridge } from "../../scripts/redis-rest/bridge.ts";
import { startRedisServer } from "../../scripts/redis-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A real Redis, shared by all tests: each uses partitions of its own. */
    redisUrl: string;
    /** The REST bridge in front of it. */
    redisRestUrl: string;
    redisRestToken: string;
  }
}

/** One Redis and one bridge for the whole run; tests that break theirs start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env["REDIS_URL"];
  const server = external === undefined ? await startRedisServer() : undefined;
  const redis = server?.url ?? external!;
  const bridge = await startBridge({ redis, port: 0, token: "test" });
  project.provide("redisUrl", redis);
  project.provide("redisRestUrl", bridge.url);
  project.provide("redisRestToken", bridge.token);
  return async () => {
    await bridge.close();
    await server?.stop();
  };
}
