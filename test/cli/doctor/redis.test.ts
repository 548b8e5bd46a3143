import { setTimeout as sleep } from "node:timers/promises";

import type { Redis } from "ioredis";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";

import type { DoctorOptions } from "../../../packages/cli/src/doctor/options.ts";
import { freePort } from "../../../scripts/support/free-port.ts";
import type { RedisServer } from "../../../scripts/support/redis-server.ts";
import {
  connect,
  deployBridge,
  deployGateway,
  deployRedis,
  diagnose,
  idsOf,
} from "../../support/cli/deployment.ts";
import { answers, type Fault, none, startFaultProxy } from "../../support/fault-proxy.ts";
import { until } from "../../support/redis-rest/harness.ts";
import { startOlderRedis } from "./older-redis.ts";

const MIB = 2 ** 20;

/** Keys as long as the limiter's, of this many bytes together. */
async function fill(redis: Redis, bytes: number, keyOf = (i: number) => `tg:{${i}}:rides:f3:1h`) {
  for (let i = 0; i * 65_536 < bytes; i++) await redis.set(keyOf(i), "x".repeat(65_536 - 100));
}

const BUSY_FOR_60_MS = `
  local from = redis.call('TIME')
  repeat
    local to = redis.call('TIME')
  until (to[1] - from[1]) * 1e6 + to[2] - from[2] > 60000`;

interface Planted {
  readonly fault: string;
  readonly args?: readonly string[];
  readonly plant?: (redis: Redis, server: RedisServer) => Promise<unknown>;
  readonly options?: DoctorOptions;
  readonly found: readonly string[];
}

test.for<Planted>([
  { fault: "nothing", found: [] },
  { fault: "nothing, with room for the clients expected", options: { partitions: 1e6 }, found: [] },
  {
    fault: "eviction",
    args: ["--maxmemory-policy", "allkeys-lru"],
    found: ["warning evicts"],
  },
  {
    fault: "eviction that has begun",
    args: ["--maxmemory-policy", "volatile-ttl", "--maxmemory", "3mb"],
    async plant(redis) {
      for (let i = 0; i < 60; i++)
        await redis.set(`tg:{${i}}:a:f3:1h`, "x".repeat(60_000), "EX", 900);
      // Below the mark again, so that only the eviction is left to find.
      await redis.flushall();
    },
    found: ["error evicts"],
  },
  { fault: "no maxmemory", args: ["--maxmemory", "0"], found: ["warning maxmemory-unset"] },
  {
    fault: "too little memory for the clients expected",
    args: ["--maxmemory", "100mb"],
    options: { partitions: 500_000 },
    found: ["warning maxmemory-small"],
  },
  {
    fault: "too little memory for their logs",
    args: ["--maxmemory", "100mb"],
    options: { partitions: 50_000, policies: 2, algorithm: "sliding-window-log", limit: 200 },
    found: ["warning maxmemory-small"],
  },
  {
    fault: "memory nearly full",
    args: ["--maxmemory", "20mb"],
    plant: (redis) => fill(redis, 16.5 * MIB),
    found: ["warning memory-nearly-full"],
  },
  {
    fault: "memory full",
    args: ["--maxmemory", "5mb"],
    plant: (redis) => fill(redis, 20 * MIB).catch(() => {}),
    found: ["error redis-out-of-memory"],
  },
  {
    fault: "more memory used than the clients expected take",
    plant: (redis) => fill(redis, 12 * MIB),
    options: { partitions: 1_000 },
    found: ["warning memory-above-formula"],
  },
  { fault: "snapshots", args: ["--save", "3600 1"], found: ["warning snapshots"] },
  {
    fault: "an append-only file",
    args: ["--appendonly", "yes", "--appendfsync", "everysec"],
    found: ["note append-only-file"],
  },
  {
    fault: "a disk write with each decision",
    args: ["--appendonly", "yes", "--appendfsync", "always"],
    found: ["warning fsync-always"],
  },
  {
    fault: "too few replicas",
    args: ["--min-replicas-to-write", "1"],
    found: ["error too-few-replicas"],
  },
  {
    fault: "ever new scripts",
    async plant(redis) {
      for (let i = 0; i < 500; i++) await redis.eval(`return ${i}`, 0);
    },
    found: ["warning script-cache"],
  },
  {
    fault: "slow scripts",
    async plant(redis) {
      for (let i = 0; i < 3; i++) await redis.eval(BUSY_FOR_60_MS, 0);
    },
    found: ["warning slow-scripts"],
  },
  {
    fault: "scripts that nobody can stop",
    args: ["--lua-time-limit", "0"],
    found: ["warning scripts-unstoppable"],
  },
  {
    fault: "a script that does not end",
    args: ["--lua-time-limit", "20"],
    async plant(redis, server) {
      redis.eval("while true do end", 0).catch(() => {});
      const other = connect(server.url);
      await until(
        () =>
          other.ping().then(
            () => false,
            (error: Error) => error.message.startsWith("BUSY"),
          ),
        5_000,
      );
    },
    found: ["error redis-busy"],
  },
  { fault: "a short idle timeout", args: ["--timeout", "5"], found: ["warning idle-timeout"] },
  {
    fault: "keys of others",
    plant: (redis) => fill(redis, MIB, (i) => `session:${i}`),
    found: ["warning redis-shared"],
  },
  {
    fault: "a few keys of others among the limiter's",
    async plant(redis) {
      await fill(redis, 2 * MIB);
      await redis.set("session:1", "");
    },
    found: [],
  },
  {
    fault: "another prefix than the one named",
    plant: (redis) => fill(redis, MIB),
    options: { prefix: "limits" },
    found: ["warning redis-shared"],
  },
  {
    fault: "counts of two versions of Tidegate",
    async plant(redis) {
      for (const key of ["{a}:api:f2", "{b}:api:f3:1h", "{#live}:state"])
        await redis.set(`tg:${key}`, "");
    },
    found: ["note two-versions"],
  },
  {
    fault:
      "counts of one version, of a policy that was changed to another algorithm and to another window",
    async plant(redis) {
      for (const key of [
        "{a}:api:f3:1h",
        "{a}:api:f3:month/Europe/Berlin/15",
        "{a:b}:api:b2",
        "{#metrics}:m:2",
      ])
        await redis.set(`tg:${key}`, "");
    },
    found: [],
  },
  {
    fault: "EVALSHA renamed",
    args: ["--rename-command", "EVALSHA", "hidden"],
    found: ["error command-refused"],
  },
])("$fault: $found", async ({ args = [], plant, options, found }) => {
  const server = await deployRedis(...args);
  const rest = await deployBridge(server.url);
  if (plant) await plant(connect(server.url), server);
  expect(await idsOf({ rest, ...options })).toEqual(found);
  // Facts from the REST API and from Redis directly are judged alike.
  expect(await idsOf({ redisUrl: server.url, ...options })).toEqual(found);
});

test.for([
  { fault: "TIME", rules: ["~*", "+@all", "-time"] },
  { fault: "EVALSHA", rules: ["~*", "+@all", "-evalsha"] },
  { fault: "the limiter's keys", rules: ["~other:*", "+@all"] },
  { fault: "writes of a sorted set", rules: ["~*", "+@all", "-zadd"] },
])("a user who is forbidden $fault cannot decide", async ({ rules }) => {
  const server = await deployRedis();
  await connect(server.url).call("ACL", "SETUSER", "limiter", "on", ">secret", ...rules);
  const { host } = new URL(server.url);
  const rest = await deployBridge(`redis://limiter:secret@${host}`);
  expect(await idsOf({ rest })).toEqual(["error command-refused"]);
});

test("facts that the REST API refuses are asked of Redis itself, and without it there is no finding", async () => {
  const server = await deployRedis("--maxmemory-policy", "allkeys-lru");
  const rest = await proxyOf((await deployBridge(server.url)).url, (exchange) => {
    const [name] = JSON.parse(exchange.body) as [string];
    const refused = ["INFO", "CONFIG", "SLOWLOG", "SCAN", "CLUSTER"].includes(name);
    const reply = JSON.stringify({ error: `ERR Command is not available: '${name}'` });
    return refused ? answers(400, "application/json", reply)(exchange) : none(exchange);
  });
  expect(await idsOf({ rest })).toEqual([]);
  expect(await idsOf({ rest, redisUrl: server.url })).toEqual(["warning evicts"]);
});

async function proxyOf(upstream: string, fault: Fault) {
  const proxy = await startFaultProxy(upstream);
  onTestFinished(() => proxy.stop());
  proxy.fault = fault;
  return { url: proxy.url, token: "test" };
}

test.for([
  { timeoutMs: 250, found: ["error redis-too-slow"] },
  { timeoutMs: 550, found: ["warning redis-slow"] },
  { timeoutMs: 5_000, found: [] },
])("a way of 300 ms to Redis, at a timeout of $timeoutMs ms: $found", async (planted) => {
  const { timeoutMs, found } = planted;
  const bridge = await deployBridge((await deployRedis()).url);
  const rest = await proxyOf(bridge.url, async (exchange) => {
    if (exchange.body === '["PING"]') await sleep(300);
    return none(exchange);
  });
  expect(await idsOf({ rest, pings: 3, timeoutMs })).toEqual(found);
});

test("a clock of Redis that is off is found", async () => {
  const bridge = await deployBridge((await deployRedis()).url);
  for (const offset of [10, -10]) {
    const rest = await proxyOf(bridge.url, (exchange) => {
      if (exchange.body !== '["TIME"]') return none(exchange);
      const seconds = Math.floor(Date.now() / 1000) + offset;
      const reply = JSON.stringify({ result: [`${seconds}`, "0"] });
      return answers(200, "application/json", reply)(exchange);
    });
    expect(await idsOf({ rest })).toEqual(["warning redis-clock"]);
  }
});

test("a Redis that is too old is found by its version", async () => {
  const rest = { url: "", token: "test" };
  const older = await startOlderRedis((await deployRedis()).url, rest.token);
  onTestFinished(() => older.close());
  expect(await diagnose({ rest: { ...rest, url: older.url } })).toEqual([
    expect.objectContaining({ id: "redis-too-old", evidence: "it is 6.0.16" }),
  ]);
});

test("a Redis that does not answer is found, and why", async () => {
  const server = await deployRedis();
  const rest = await deployBridge(server.url);
  const nowhere = await freePort();
  const evidenceOf = async (options: DoctorOptions) =>
    (await diagnose(options)).map(({ id, evidence }) => `${id} ${evidence.replace(/^\S+ /, "")}`);
  expect(await evidenceOf({ rest: { url: `http://127.0.0.1:${nowhere}`, token: "x" } })).toEqual([
    "redis-unreachable ECONNREFUSED",
  ]);
  expect(await evidenceOf({ redisUrl: `redis://:secret@127.0.0.1:${nowhere}` })).toEqual([
    "redis-unreachable ECONNREFUSED",
  ]);
  expect(await evidenceOf({ rest: { ...rest, url: rest.url, token: "wrong" } })).toEqual([
    "redis-unreachable HTTP 401: the token is wrong",
  ]);
  const redirecting = { url: `${inject("strangeRestUrl")}/redirect/307`, token: "x" };
  expect(await evidenceOf({ rest: redirecting })).toEqual([
    "redis-unreachable HTTP 307: it redirects. Give the address of Redis itself",
  ]);
  await server.stop();
  expect(await evidenceOf({ rest })).toEqual([
    expect.stringMatching(/^redis-unreachable HTTP 503: .*not reachable/),
  ]);
});

test("a gateway and a Redis that are sound give no finding", async () => {
  const server = await deployRedis();
  const rest = await deployBridge(server.url);
  const url = await deployGateway(rest);
  expect(await diagnose({ url, rest, redisUrl: server.url, partitions: 1e6 })).toEqual([]);
});

test("a gateway that lost its Redis is found from both sides", async () => {
  const server = await deployRedis();
  const rest = await deployBridge(server.url);
  const url = await deployGateway(rest);
  await server.stop();
  expect(await idsOf({ url, rest })).toEqual([
    "error gateway-without-redis",
    "error redis-unreachable",
  ]);
});

let shared: { url: string; token: string };
beforeAll(() => {
  shared = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
});

test("it writes only keys that expire", async () => {
  await idsOf({ rest: shared, prefix: "doctor-keys" });
  const redis = connect(inject("redisUrl"));
  const keys = await redis.keys("doctor-keys:*");
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !key.startsWith("doctor-keys:{#doctor}:"))).toEqual([]);
  const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
  expect(ttls.filter((ttl) => ttl === -1 || ttl > 120_000)).toEqual([]);
});
