import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { runs } from "../support/runs.ts";
import { mastersInRedis } from "./ledger/masters.ts";
import { tell } from "./ledger/story.ts";

/* The ledger of ledger.test.ts over real servers: one Redis, and the three masters of a Redis Cluster. */

let cluster: RedisCluster;
const connections: Redis[] = [];

function connect(url: string): Redis {
  const redis = new Redis(url, { disableClientInfo: true });
  connections.push(redis);
  return redis;
}

beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3 });
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await cluster?.stop();
});

async function tellAll(urls: readonly string[]): Promise<void> {
  const open = mastersInRedis(urls.map(connect));
  for (let seed = 1; seed <= runs(50); seed++) await tell(seed, open, {});
}

test("one Redis does as the ledger says", async () => {
  await expect(tellAll([inject("redisUrl")])).resolves.toBeUndefined();
});

test("three masters do as the ledger says", async () => {
  await expect(tellAll(cluster.urls)).resolves.toBeUndefined();
});
