import { createHash } from "node:crypto";

import { Redis as UpstashRedis } from "@upstash/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { DANGEROUS } from "../../packages/redis-rest/src/allowed-commands.ts";
import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisCluster } from "../support/redis-cluster.ts";
import type { RedisCluster } from "../support/redis-cluster.ts";
import { ask, error, result, token } from "../support/redis-rest/harness.ts";

let cluster: RedisCluster;
let bridge: Bridge;
let upstash: Bridge;
let masters: Redis[];

beforeAll(async () => {
  cluster = await startRedisCluster({ masters: 3 });
  const options = { redis: cluster.urls[0]!, port: 0, token, cluster: true, allow: DANGEROUS };
  bridge = await startBridge(options);
  upstash = await startBridge({ ...options, redis: cluster.urls.join(","), emulate: "upstash" });
  masters = cluster.urls.map((url) => new Redis(url));
}, 30_000);
beforeEach(async () => {
  await ask(bridge, ["FLUSHALL"]);
  await ask(upstash, ["SCRIPT", "FLUSH"]);
});
afterAll(async () => {
  for (const master of masters) master.disconnect();
  await Promise.all([bridge.close(), upstash.close()]);
  await cluster.stop();
});

// One key for each master: slots 3300, 7365 and 15495, of 16384 in three equal parts.
const keys = ["b", "c", "a"] as const;
const crossSlot = "CROSSSLOT Keys in request don't hash to the same slot";
const sha = (script: string) => createHash("sha1").update(script).digest("hex");
const increment = "return redis.call('INCR', KEYS[1])";
const noScript = error("NOSCRIPT No matching script. Please use EVAL.");

describe("keys", () => {
  test("go to the node that has them", async () => {
    for (const key of keys) {
      expect(await ask(bridge, ["SET", key, `value of ${key}`])).toEqual(result("OK"));
      expect(await ask(bridge, { path: `/get/${key}` })).toEqual(result(`value of ${key}`));
    }
    expect(await Promise.all(masters.map((master) => master.dbsize()))).toEqual([1, 1, 1]);
  });

  test("of a pipeline may lie anywhere", async () => {
    const body = keys.flatMap((key) => [
      ["INCR", key],
      ["INCR", key],
    ]);
    expect(await ask(bridge, { path: "/pipeline", body })).toEqual({
      status: 200,
      body: [1, 2, 1, 2, 1, 2].map((n) => ({ result: n })),
    });
  });

  test("of one command in several slots are the server's to refuse", async () => {
    expect(await ask(bridge, ["MSET", "b", 1, "c", 2])).toEqual(error(crossSlot));
    expect(await ask(bridge, ["EVAL", increment, 2, "b", "c"])).toEqual(error(crossSlot));
    expect(await ask(bridge, ["MSET", "{b}1", 1, "{b}2", 2])).toEqual(result("OK"));
  });

  test.each([
    ["EVAL", "return 1", "99999999999"],
    ["EVALSHA", "x", "1e300"],
    ["ZUNIONSTORE", "b", "99999999999"],
    ["LMPOP", "99999999999"],
  ])("by an impossible number are an error, not the end: %s %s %s", async (...command) => {
    expect(await ask(bridge, command)).toEqual(
      error("ERR Number of keys can't be greater than number of args"),
    );
    expect(await ask(bridge, { path: "/multi-exec", body: [command] })).toEqual(
      error("ERR Number of keys can't be greater than number of args"),
    );
  });

  test.each([
    [["GET"], "ERR wrong number of arguments for 'get' command"],
    [["EVAL", "return 1"], "ERR wrong number of arguments for 'eval' command"],
    [["EVAL", "return 1", "x"], "ERR value is not an integer or out of range"],
    [["EVAL", "return 1", -1], "ERR Number of keys can't be negative"],
  ])("that are missing are an error: %j", async (command, message) => {
    expect(await ask(bridge, command)).toEqual(error(message));
  });
});

describe("a transaction", () => {
  test("runs on the node of its slot", async () => {
    for (const key of keys) {
      const body = [
        ["INCR", `{${key}}1`],
        ["INCR", `{${key}}2`],
        ["HGETALL", `{${key}}3`],
      ];
      expect(await ask(bridge, { path: "/multi-exec", body })).toEqual({
        status: 200,
        body: [{ result: 1 }, { result: 1 }, { result: [] }],
      });
    }
  });

  test.each([
    [
      "on two nodes",
      "c",
      "All keys in the pipeline should belong to the same slots allocation group",
    ],
    ["on one node", "f", "Keys in request don't hash to the same slot"],
  ])("across slots %s is an error, and none of it runs", async (_, other, message) => {
    const body = [
      ["INCR", "b"],
      ["INCR", other],
    ];
    expect(await ask(bridge, { path: "/multi-exec", body })).toEqual(error(`CROSSSLOT ${message}`));
    expect(await ask(bridge, ["DBSIZE"])).toEqual(result(0));
  });
});

describe("the whole cluster", () => {
  test("is counted, listed and emptied", async () => {
    for (const key of keys) await ask(bridge, ["SET", key, 1]);
    expect(await ask(bridge, ["DBSIZE"])).toEqual(result(3));
    const { body } = await ask(bridge, ["KEYS", "*"]);
    expect((body as { result: string[] }).result.sort()).toEqual([...keys].sort());
    expect(await ask(bridge, ["FLUSHALL"])).toEqual(result("OK"));
    expect(await ask(bridge, ["DBSIZE"])).toEqual(result(0));
    expect((await ask(bridge, ["SCAN", 0])).status).toBe(400);
    expect(await ask(bridge, ["PING"])).toEqual(result("PONG"));
    expect(await ask(bridge, ["TIME"])).toMatchObject({ status: 200 });
  });

  test("knows a loaded script, and forgets it", async () => {
    expect(await ask(bridge, ["SCRIPT", "LOAD", increment])).toEqual(result(sha(increment)));
    for (const key of keys) {
      expect(await ask(bridge, ["EVALSHA", sha(increment), 1, key])).toEqual(result(1));
    }
    await masters[1]!.script("FLUSH");
    expect(await ask(bridge, ["SCRIPT", "EXISTS", sha(increment)])).toEqual(result([0]));
    expect(await ask(bridge, ["EVALSHA", sha(increment), 1, "c"])).toEqual(noScript);
    expect(await ask(bridge, ["EVALSHA", sha(increment), 1, "b"])).toEqual(result(2));
    expect(await ask(bridge, ["SCRIPT", "FLUSH"])).toEqual(result("OK"));
    expect(await ask(bridge, ["EVALSHA", sha(increment), 1, "b"])).toEqual(noScript);
  });

  test("emulates Upstash on each of its nodes", async () => {
    const script = `#!lua flags=allow-key-locking\n${increment}`;
    for (const key of keys) {
      expect(await ask(upstash, ["EVALSHA", sha(script), 1, key])).toEqual(noScript);
      expect(await ask(upstash, ["EVAL", script, 1, key])).toEqual(result(1));
      expect(await ask(upstash, ["EVALSHA", sha(script), 1, key])).toEqual(result(2));
    }
  });
});

test("a reply of any master is bounded, and the replies of all are whole", async () => {
  const large = "local list = {} for i = 1, 250001 do list[i] = 1 end return list";
  const pipeline = ["b", "c", "a"].flatMap((key) => [
    ["EVAL", large, 1, key],
    ["ECHO", key],
  ]);
  const { status, body } = await ask(bridge, { path: "/pipeline", body: pipeline });
  expect(status).toBe(200);
  const refused = { error: expect.stringMatching(/^ERR the reply has more than 250000 elements/) };
  expect(body).toEqual(["b", "c", "a"].flatMap((key) => [refused, { result: key }]));
});

test("many requests at once, over the client", async () => {
  const client = new UpstashRedis({ url: bridge.url, token, retry: { retries: 0 } });
  await Promise.all(Array.from({ length: 300 }, (_, i) => client.incr(`k${i % 30}`)));
  const counts = await Promise.all(Array.from({ length: 30 }, (_, i) => client.get(`k${i}`)));
  expect(counts).toEqual(Array.from({ length: 30 }, () => 10));
});
