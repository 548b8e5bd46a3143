import { connect } from "node:net";

import { afterEach, expect, test, vi } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { startRedisCluster } from "../support/redis-cluster.ts";
import { ask, error, token } from "../support/redis-rest/harness.ts";

/* A Redis that is there and says nothing, a master that is gone, and a client that is there and says no more. */

const LOST = error("ERR Redis went away before it replied. The command may have run", 503);

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function started(): Promise<{ redis: RedisServer; bridge: Bridge }> {
  const redis = await startRedisServer({});
  ending.push(() => redis.stop());
  const bridge = await startBridge({ redis: redis.url, port: 0, token });
  ending.push(() => bridge.close());
  return { redis, bridge };
}

test("a Redis that is silent holds no request for ever", async () => {
  const { redis, bridge } = await started();
  redis.kill("SIGSTOP");
  ending.push(async () => redis.kill("SIGCONT"));
  const [one, several] = await Promise.all([
    ask(bridge, ["INCR", "n"]),
    ask(bridge, { path: "/pipeline", body: [["INCR", "n"]] }),
  ]);
  expect([one, several]).toEqual([LOST, LOST]);
});

test("of a pipeline, the answers of the available masters are passed on", async () => {
  const cluster = await startRedisCluster({ masters: 3 });
  ending.push(() => cluster.stop());
  const bridge = await startBridge({ redis: cluster.urls[0]!, port: 0, token, cluster: true });
  ending.push(() => bridge.close());
  // One key for each master.
  const body = ["b", "c", "a"].map((key) => ["SET", key, "value"]);
  expect((await ask(bridge, { path: "/pipeline", body })).status).toBe(200);
  await cluster.nodes[2]!.stop();
  expect(await ask(bridge, { path: "/pipeline", body })).toEqual({
    status: 200,
    body: [{ result: "OK" }, { result: "OK" }, { error: expect.stringContaining("ERR Redis") }],
  });
});

test("a client that never ends its request keeps no bridge from ending", async () => {
  const { bridge } = await started();
  const socket = connect(Number(new URL(bridge.url).port), "127.0.0.1");
  ending.push(async () => socket.destroy());
  socket.on("error", () => {});
  const before = bridge.requests;
  const head = ["POST / HTTP/1.1", "Host: 127.0.0.1", `Authorization: Bearer ${token}`];
  socket.write([...head, "Content-Length: 100", "", "["].join("\r\n"));
  await expect.poll(() => bridge.requests).toBe(before + 1);
  await bridge.close();
});

test("a bridge that has ended leaves no timer behind", async () => {
  const { bridge } = await started();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  ending.push(async () => void vi.useRealTimers());
  await bridge.close();
  // Until the connection to Redis is gone, too.
  for (let turn = 0; turn < 1_000 && vi.getTimerCount() > 0; turn++) {
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect(vi.getTimerCount()).toBe(0);
});
