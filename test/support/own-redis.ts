import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { type RedisCluster, startRedisCluster } from "./redis-cluster.ts";

/** The token of every bridge here. */
export const TOKEN = "t";

/** A Redis of its own and a bridge to it, while the tests of a file or a group run. Each test finds it empty, a second time, too. */
export function ownRedis(emulate?: "upstash") {
  const own = {} as { server: RedisServer; redis: Redis; bridge: Bridge };
  beforeAll(async () => {
    own.server = await startRedisServer();
    own.redis = new Redis(own.server.url, { disableClientInfo: true });
    const options = { redis: own.server.url, port: 0, token: TOKEN };
    own.bridge = await startBridge({ ...options, ...(emulate && { emulate }) });
  });
  beforeEach(() => own.redis.flushall());
  afterAll(async () => {
    own.redis?.disconnect();
    await own.bridge?.close();
    await own.server?.stop();
  });
  return own;
}

/** A Cluster of three masters of its own and a bridge to it, while the tests of a file or a group run. */
export function ownCluster() {
  const own = {} as { cluster: RedisCluster; bridge: Bridge };
  beforeAll(async () => {
    own.cluster = await startRedisCluster({ masters: 3 });
    const redis = own.cluster.urls.join(",");
    own.bridge = await startBridge({ redis, port: 0, token: TOKEN, cluster: true });
  }, 60_000);
  afterAll(async () => {
    await own.bridge?.close();
    await own.cluster?.stop();
  });
  return own;
}
