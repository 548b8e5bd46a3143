import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisCluster } from "../support/redis-cluster.ts";
import type { RedisCluster } from "../support/redis-cluster.ts";
import { ask, result, token, until } from "../support/redis-rest/harness.ts";

let cluster: RedisCluster;
let bridge: Bridge;

beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3, replicas: 1 });
  bridge = await startBridge({ redis: cluster.urls.join(","), port: 0, token, cluster: true });
}, 30_000);
afterAll(async () => {
  await bridge.close();
  await cluster.stop();
});

test(
  "a lost master is an error at once, and its replica takes over",
  { timeout: 20_000 },
  async () => {
    // Slot 3300, the first master's. Replication is asynchronous: only what arrived can be kept.
    expect(await ask(bridge, ["SET", "b", "kept"])).toEqual(result("OK"));
    const replica = new Redis(cluster.nodes[3]!.url);
    await until(async () => (await replica.dbsize()) === 1, 10_000);
    replica.disconnect();
    await cluster.nodes[0]!.stop();

    let slowest = 0;
    await until(async () => {
      const started = performance.now();
      const { status, body } = await ask(bridge, ["GET", "b"]);
      slowest = Math.max(slowest, performance.now() - started);
      if (status === 200) expect(body).toEqual({ result: "kept" });
      else expect([400, 503]).toContain(status);
      return status === 200;
    }, 15_000);
    expect(slowest).toBeLessThan(1_500);
  },
);

test("with every node gone each request is answered at once", { timeout: 20_000 }, async () => {
  await cluster.stop();
  await until(async () => (await ask(bridge, ["GET", "b"])).status === 503, 5_000);
  const started = performance.now();
  expect((await ask(bridge, ["GET", "b"])).status).toBe(503);
  expect((await ask(bridge, ["DBSIZE"])).status).toBe(503);
  expect((await ask(bridge, { path: "/multi-exec", body: [["GET", "b"]] })).status).toBe(503);
  expect(performance.now() - started).toBeLessThan(1_000);
});
