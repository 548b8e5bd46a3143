import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, describe } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { type Bridge, startBridge } from "../../src/node/bridge/bridge.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Store } from "../../src/store/store.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { storeContract } from "./contract.ts";

const RETRY_NEVER = { retries: 0 };

/** The clients that a limiter is given: the one it makes of an endpoint, and one that its user has built. */
const clients = {
  "an endpoint": ({ url, token }: Bridge): RedisClient => restClient({ url, token }, 5_000),
  "@upstash/redis": ({ url, token }: Bridge): RedisClient =>
    new Redis({ url, token, retry: RETRY_NEVER, enableAutoPipelining: false }),
};

describe.each([
  { client: "an endpoint" as const, emulate: undefined },
  { client: "an endpoint" as const, emulate: "upstash" as const },
  { client: "@upstash/redis" as const, emulate: undefined },
])("the Redis store, one server, from $client, emulating $emulate", ({ client, emulate }) => {
  let server: RedisServer;
  let bridge: Bridge;
  let store: Store;
  beforeAll(async () => {
    server = await startRedisServer();
    bridge = await startBridge({
      redis: server.url,
      port: 0,
      token: "t",
      ...(emulate && { emulate }),
    });
    store = redisStore(clients[client](bridge), ALL_SCRIPTS);
  });
  afterAll(async () => {
    await bridge.close();
    await server.stop();
  });
  storeContract(() => store);
});

describe("the Redis store, a cluster of three masters", () => {
  let cluster: RedisCluster;
  let bridge: Bridge;
  let store: Store;
  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 3 });
    bridge = await startBridge({
      redis: cluster.urls.join(","),
      port: 0,
      token: "t",
      cluster: true,
    });
    store = redisStore(clients["an endpoint"](bridge), ALL_SCRIPTS);
  });
  afterAll(async () => {
    await bridge?.close();
    await cluster?.stop();
  });
  storeContract(() => store);
});
