import { afterAll, beforeAll, describe } from "vitest";

import { type Bridge, startBridge } from "../../scripts/redis-rest/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/redis-server.ts";
import { Faults } from "../../src/errors.ts";
import { createRedisClient } from "../../src/store/redis-client.ts";
import { redisStore } from "../../src/store/redis-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { storeContract } from "./contract.ts";

function storeOn({ url, token }: Bridge): Store {
  const faults = new Faults();
  const client = createRedisClient(url, token, { url: "url", token: "token" }, 5_000, faults);
  faults.throwIfAny();
  return redisStore(client!);
}

describe.each([{ emulate: undefined }, { emulate: "upstash" as const }])(
  "the Redis store, one server, emulating $emulate",
  ({ emulate }) => {
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
      store = storeOn(bridge);
    });
    afterAll(async () => {
      await bridge.close();
      await server.stop();
    });
    storeContract(() => store);
  },
);

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
    store = storeOn(bridge);
  });
  afterAll(async () => {
    await bridge?.close();
    await cluster?.stop();
  });
  storeContract(() => store);
});
