import { readFileSync } from "node:fs";

import { Redis } from "ioredis";
import { expect, test, vi } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { readConfig } from "../../src/gateway/config/config.ts";
import { redisLiveStore } from "../../src/store/control/live-store.ts";
import { limited, liveVariables } from "../support/live/live-gateway.ts";
import { ownRedis } from "../support/own-redis.ts";
import { startFleet } from "./fleet.ts";

/*
 * A Redis of its own for control data, and what a gateway says of one that does not keep it.
 */

const own = ownRedis();
const there = () => ({
  CONTROL_REDIS_REST_URL: own.bridge.url,
  CONTROL_REDIS_REST_TOKEN: own.bridge.token,
});

/** How the Redis of this file keeps its data, as a gateway finds it. */
async function persistenceWith(settings: Record<string, string>): Promise<string> {
  const { redis, isolate } = await startFleet({ url: own.server.url, rest: own.bridge });
  for (const [name, value] of Object.entries(settings)) await redis.config("SET", name, value);
  // Nobody has asked it before.
  return (await isolate().api("GET", "/health")).body.control.persistence;
}

test("control data in a Redis of its own outlives the counts, and counts are not written there", async () => {
  const { redis, isolate, keys } = await startFleet();
  const old = isolate(there());
  await old.api("PUT", "/rules", limited(20), { "If-Match": '"0"' });
  await old.api("PUT", "/lists/deny", { identity: "x-user-id:mal" });
  expect(await redis.exists(...Object.values(keys))).toBe(0);
  const anew = isolate(there());
  expect([await anew.ask("ada"), await anew.ask("mal")]).toEqual(["200 20", "403"]);
  expect((await anew.api("GET", "/health")).body.control).toMatchObject({
    store: "redis",
    own: true,
  });
  const control = await startFleet({ url: own.server.url, rest: own.bridge });
  const written = (await control.redis.keys("*")).filter((key) => !key.includes("{#live}"));
  expect(written.filter((key) => !key.startsWith("tg:{#version}"))).toEqual([]);
});

test.each([
  [{ appendonly: "no", save: "" }, "none"],
  [{ appendonly: "no", save: "3600 1" }, "rdb"],
  [{ appendonly: "yes", save: "" }, "aof"],
] as const)("of a Redis with %j health says that it keeps: %s", async (settings, persistence) => {
  const lines = vi
    .spyOn(console, "warn")
    .mockReset()
    .mockImplementation(() => {});
  expect(await persistenceWith(settings)).toBe(persistence);
  const told = lines.mock.calls.flat().filter((line) => String(line).includes("append-only file"));
  expect(told).toHaveLength(persistence === "none" ? 1 : 0);
});

test("a Redis that does not say what it keeps is unknown, and one of Upstash is not asked", async () => {
  const server = await startRedisServer();
  const bridge = await startBridge({ redis: server.url, port: 0, token: "t" });
  const persistence = (url: string) =>
    redisLiveStore({ url, token: "t" }, "tg", 10_000, () => {}).persistence();
  const { redis } = await startFleet({ url: server.url, rest: bridge });
  expect(await persistence(bridge.url)).toBe("none");
  await redis.acl("SETUSER", "default", "-config");
  expect(await persistence(bridge.url)).toBe("unknown");
  await redis.acl("SETUSER", "default", "-info");
  expect(await persistence(bridge.url)).toBe("unknown");
  expect(await persistence("https://eu1-a-b-1.upstash.io")).toBe("managed");
  await bridge.close();
  await server.stop();
});

test("with the rights of docs/redis.md an append-only file is seen, and nothing else: another right would read passwords", async () => {
  const server = await startRedisServer();
  const { redis } = await startFleet({ url: server.url, rest: own.bridge });
  const [, rights] = /^ACL SETUSER limiter on >SECRET (.+)$/m.exec(
    readFileSync("docs/redis.md", "utf8"),
  )!;
  await redis.acl("SETUSER", "limiter", "on", ">secret", ...rights!.split(" "));
  const url = server.url.replace("redis://", "redis://limiter:secret@");
  const bridge = await startBridge({ redis: url, port: 0, token: "t" });
  const persistence = () =>
    redisLiveStore({ url: bridge.url, token: "t" }, "tg", 10_000, () => {}).persistence();
  for (const [appendonly, save, found] of [
    ["no", "", "unknown"],
    ["no", "3600 1", "unknown"],
    ["yes", "", "aof"],
  ] as const) {
    await redis.config("SET", "appendonly", appendonly);
    await redis.config("SET", "save", save);
    expect([appendonly, save, await persistence()]).toEqual([appendonly, save, found]);
  }
  await bridge.close();
  await redis.config("SET", "requirepass", "of-the-operators");
  await redis.acl("SETUSER", "limiter", "+config|get");
  const limiter = new Redis(url, { disableClientInfo: true });
  expect(await limiter.config("GET", "requirepass")).toEqual(["requirepass", "of-the-operators"]);
  limiter.disconnect();
  await server.stop();
});

const read = (variables: object) =>
  readConfig({ ...liveVariables("http://127.0.0.1:1", "tg"), ...variables }, {});
const faultsOf = (variables: object): readonly string[] => {
  try {
    read(variables);
    return [];
  } catch (error) {
    return (error as { faults: { path: string; code: string }[] }).faults.map(
      ({ path, code }) => `${path} ${code}`,
    );
  }
};
const URL_TOO = { CONTROL_REDIS_REST_URL: "https://control.example.com" };

test.each([
  [URL_TOO, ["CONTROL_REDIS_REST_TOKEN missing"]],
  [{ CONTROL_REDIS_REST_TOKEN: "t" }, ["CONTROL_REDIS_REST_URL missing"]],
  [
    { CONTROL_REDIS_REST_URL: "x", CONTROL_REDIS_REST_TOKEN: "t" },
    ["CONTROL_REDIS_REST_URL shape"],
  ],
  [{ CONTROL_REDIS_REST_URL: "", CONTROL_REDIS_REST_TOKEN: "" }, []],
  [{ LIVE_RULES: "required", LIVE_REFRESH: "off" }, ["LIVE_RULES unsupported"]],
  [{ LIVE_RULES: "required", STORE: "memory" }, ["LIVE_RULES unsupported"]],
])("%j has the faults %j", (variables, faults) => {
  expect(faultsOf(variables)).toEqual(faults);
});

test("a control store of its own serves counts of any store, and required rules are read without a token", () => {
  const both = { ...URL_TOO, CONTROL_REDIS_REST_TOKEN: "t" };
  expect(read({ ...both, STORE: "memory" })).toMatchObject({
    liveRefreshMs: 10_000,
    control: { redis: { url: URL_TOO.CONTROL_REDIS_REST_URL, token: "t" }, isOwn: true },
  });
  const { UPSTASH_REDIS_REST_URL: url } = liveVariables("http://127.0.0.1:1", "tg");
  expect(read({}).control).toMatchObject({ redis: { url }, isOwn: false });
  const same = { CONTROL_REDIS_REST_URL: url, CONTROL_REDIS_REST_TOKEN: "t" };
  expect(read(same).control).toMatchObject({ isOwn: false });
  const untold = { ADMIN_TOKEN: undefined, ADMIN_HOST: undefined };
  expect(read(untold).liveRefreshMs).toBeUndefined();
  expect(read({ ...untold, LIVE_RULES: "required" }).liveRefreshMs).toBe(10_000);
});
