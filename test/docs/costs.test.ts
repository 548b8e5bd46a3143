import { readFileSync } from "node:fs";

import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { dollarsPerMillion } from "../../packages/cli/src/doctor/observe.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { fixedWindow, segmentedWindow, slidingWindowLog, tokenBucket } from "../../src/index.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";
import { decisionCommands } from "../support/store/decision-commands.ts";

/* docs/costs.md, by the commands that a real server counts. */

const page = readFileSync("docs/costs.md", "utf8");
const cellsOf = (row: string) =>
  page
    .split("\n")
    .find((line) => line.startsWith(`| ${row} `))!
    .split("|")
    .map((cell) => cell.trim())
    .slice(2, -1);

// A server of its own: other tests would show in its statistics.
let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** The commands of one call, with the call. */
async function billed(call: () => unknown): Promise<number> {
  await redis.config("RESETSTAT");
  await call();
  const stats = await redis.info("commandstats");
  const calls = Array.from(stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g), ([, name, times]) =>
    ["info", "config|resetstat"].includes(name!) ? 0 : Number(times),
  );
  return calls.reduce((sum, each) => sum + each, 0);
}

const bucket = tokenBucket({ name: "b", limit: 4, refill: 1, per: "1d" });
const window = fixedWindow({ name: "f", limit: 9, window: "30d" });
const segments = segmentedWindow({ name: "s", limit: 9, window: "30d" });
const log = slidingWindowLog({ name: "l", limit: 9, window: "30d" });

function storeOf(...given: Parameters<typeof compile>[0]) {
  const policies = compile(given);
  const keys = policies.map(({ key }) => `tg:{${policies.length}}:${key}`);
  const costs = policies.map(() => 1);
  const store = redisStore(
    {
      evalsha: (sha1, names, args) => redis.evalsha(sha1, names.length, ...names, ...args),
      eval: (script, names, args) => redis.eval(script, names.length, ...names, ...args),
    },
    ALL_SCRIPTS,
  );
  const decide = (operation: "consume" | "peek" | "charge" | "lease") =>
    store.decide(operation, keys, costs, policies);
  return { store, policies, keys, costs, decide };
}

test("the table of commands is what a server counts", async () => {
  const { store, policies, keys, costs, decide } = storeOf(bucket, window, segments);
  for (const operation of ["peek", "consume", "lease"] as const) await decide(operation);
  await store.refund!(keys, costs, policies, await decide("charge"));
  await store.reset(keys);
  const reply = await decide("consume");
  const three = {
    "allowed, n policies": await billed(() => decide("consume")),
    "a lease of any number of units": await billed(() => decide("lease")),
    "`charge()`": await billed(() => decide("charge")),
    "a refund, such as by `settle()`": await billed(() =>
      store.refund!(keys, costs, policies, reply),
    ),
    // The bucket is full by now.
    "denied, or `peek()`": await billed(async () => {
      await decide("charge");
      await redis.config("RESETSTAT");
      expect((await decide("consume")).rows[0]!.allowed).toBe(false);
    }),
    "`reset()`": await billed(() => store.reset(keys)),
  };
  const documented = Object.keys(three).map((row) => [row, Number(cellsOf(row)[1])]);
  expect(Object.entries(three)).toEqual(documented);
  const one = storeOf(window);
  await one.decide("consume");
  const counted = await billed(() => one.decide("consume"));
  expect(counted).toBe(Number(cellsOf("allowed, one policy")[0]));
  const withLog = storeOf(bucket, log);
  await withLog.decide("consume");
  expect(await billed(() => withLog.decide("consume"))).toBe(2 + 3 + 1);
});

test("the prices are the formula's", () => {
  const rows = { "one policy": 1, "two policies": 2, "three policies": 3, "five policies": 5 };
  const priced = page.slice(page.indexOf("## Prices"));
  for (const [row, count] of Object.entries(rows)) {
    const commands = decisionCommands(Array.from({ length: count }, () => "fixed-window"));
    const [allowed, denied] = [commands.allowed, commands.denied].map(dollarsPerMillion);
    expect(priced).toMatch(new RegExp(`\\| ${row} +\\| \\$${allowed} +\\| \\$${denied} +\\|`));
  }
  const writes = 3;
  const reads = decisionCommands(["fixed-window", "fixed-window", "fixed-window"]).allowed - writes;
  // In a global database, each write is billed in its own region and in both that read.
  expect(page).toContain(`which is $${dollarsPerMillion(reads + 3 * writes)}.`);
});
