import { Redis as UpstashRedis } from "@upstash/redis";
import { afterEach, beforeEach, expect, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { freePort } from "../../scripts/support/free-port.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import type { RedisServer } from "../../scripts/support/redis-server.ts";
import { ask, error, result, token, until } from "../support/redis-rest/harness.ts";

let port: number;
let redis: RedisServer;
let bridge: Bridge;
let told: string[];

// Each test stops it in its own way.
beforeEach(async () => {
  told = [];
  port = await freePort();
  redis = await startRedisServer({ port });
  bridge = await startBridge({
    redis: redis.url,
    port: 0,
    token,
    tell: (line) => told.push(line.replace(/\d+ s$/, "n s")),
  });
});
afterEach(async () => {
  await redis.stop();
  await bridge.close();
});

const unreachable = () =>
  error(
    `ERR Redis is not reachable (connect ECONNREFUSED 127.0.0.1:${port}). The command was not sent`,
    503,
  );
const answers = async () => (await ask(bridge, ["PING"])).status === 200;
const refused = async () =>
  JSON.stringify(await ask(bridge, ["PING"])) === JSON.stringify(unreachable());

test("without Redis every request is answered at once; with it back, soon again", async () => {
  await redis.stop();
  await until(refused, 10_000);

  // It is not started again before all of them are answered.
  for (const request of [
    ["GET", "k"],
    { path: "/get/k" },
    { path: "/pipeline", body: [["PING"], ["PING"]] },
    { path: "/multi-exec", body: [["PING"]] },
  ]) {
    expect(await ask(bridge, request)).toEqual(unreachable());
  }
  const client = new UpstashRedis({ url: bridge.url, token, retry: { retries: 0 } });
  await expect(client.get("k")).rejects.toThrow("ERR Redis is not reachable");

  // Once, however many requests and attempts to connect fail.
  expect(told).toEqual(["Redis is gone; requests are answered 503 until it is back"]);

  redis = await startRedisServer({ port });
  await until(answers, 10_000);
  expect(told.slice(1)).toEqual(["Redis is back after n s"]);
});

test("a command whose reply is lost is reported, and not sent again", async () => {
  await until(answers, 10_000);
  redis.kill("SIGSTOP");
  const before = bridge.commands;
  const lost = Promise.all([
    ask(bridge, ["INCR", "n"]),
    ask(bridge, { path: "/pipeline", body: [["INCR", "n"]] }),
    ask(bridge, { path: "/multi-exec", body: [["INCR", "n"]] }),
  ]);
  await until(async () => bridge.commands === before + 3, 10_000);
  await redis.stop();
  for (const answer of await lost) {
    expect(answer).toEqual(
      error("ERR Redis went away before it replied. The command may have run", 503),
    );
  }

  redis = await startRedisServer({ port });
  await until(answers, 10_000);
  expect(await ask(bridge, ["EXISTS", "n"])).toEqual(result(0));
});

test("a bridge may be there before its Redis", async () => {
  const later = await freePort();
  const early = await startBridge({ redis: `redis://127.0.0.1:${later}`, port: 0, token });
  expect(early.connected).toBe(false);
  expect((await ask(early, ["PING"])).status).toBe(503);
  const server = await startRedisServer({ port: later });
  await until(async () => (await ask(early, ["PING"])).status === 200, 10_000);
  await early.close();
  await server.stop();
});

test("a closing bridge finishes its open requests, tells no outage, and is gone", async () => {
  const lines: string[] = [];
  const tell = (line: string) => lines.push(line);
  const closing = await startBridge({ redis: redis.url, port: 0, token, tell });
  expect(closing.connected).toBe(true);
  redis.kill("SIGSTOP");
  const pending = ask(closing, ["ECHO", "last"]);
  await until(async () => closing.commands === 1, 10_000);
  const closed = Promise.all([closing.close(), closing.close()]);
  redis.kill("SIGCONT");
  expect(await pending).toEqual(result("last"));
  await closed;
  expect(lines).toEqual([]);
  await expect(ask(closing, ["PING"])).rejects.toThrow("fetch failed");
});

test("a port in use is an error, after which no connection to Redis is left", async () => {
  const taken = Number(new URL(bridge.url).port);
  // That of the bridge which listens.
  const connections = async () => {
    const answer = (await ask(bridge, ["INFO", "clients"])) as { body: { result: string } };
    return /connected_clients:(\d+)/.exec(answer.body.result)?.[1];
  };
  await expect.poll(connections).toBe("1");
  await expect(startBridge({ redis: redis.url, port: taken, token })).rejects.toThrow("EADDRINUSE");
  await expect.poll(connections).toBe("1");
});
