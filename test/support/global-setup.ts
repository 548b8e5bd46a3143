import type { TestProject } from "vitest/node";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { startStrangeRedis } from "./store/strange-redis.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A real Redis, shared by all tests: each uses partitions of its own. */
    redisUrl: string;
    /** The REST bridge in front of it. */
    redisRestUrl: string;
    redisRestToken: string;
    /** Bridges with the same token to another Redis, of which a test may flush the scripts: as stock Redis, as Upstash. */
    flushedRestUrls: readonly [stock: string, upstash: string];
    /** A server that redirects, and whose answers do not end. */
    strangeRestUrl: string;
  }
}

/** One Redis and one bridge for the whole run; tests that break theirs start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env["REDIS_URL"];
  const server = external === undefined ? await startRedisServer() : undefined;
  const redis = server?.url ?? external!;
  // Tests look for their own keys.
  const options = { port: 0, token: "test", allow: ["KEYS"] };
  const bridge = await startBridge({ redis, ...options });
  const flushed = await startRedisServer();
  const toFlushed = { redis: flushed.url, ...options };
  const stock = await startBridge(toFlushed);
  const upstash = await startBridge({ ...toFlushed, emulate: "upstash" });
  const strange = await startStrangeRedis();
  project.provide("strangeRestUrl", strange.url);
  project.provide("redisUrl", redis);
  project.provide("redisRestUrl", bridge.url);
  project.provide("redisRestToken", bridge.token);
  project.provide("flushedRestUrls", [stock.url, upstash.url]);
  return async () => {
    await Promise.all([bridge.close(), stock.close(), upstash.close(), strange.stop()]);
    await Promise.all([flushed.stop(), server?.stop()]);
  };
}
