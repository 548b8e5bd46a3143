import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { concurrency } from "../../src/algorithms/concurrency.ts";
import { DECIDE_ONE } from "../../src/algorithms/scripts.generated.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { CountingAlgorithm } from "../../src/policy/policy.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

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

/** The commands that one call of the script runs, without the call itself. */
async function commandsOf(call: () => Promise<unknown>): Promise<Record<string, number>> {
  await redis.config("RESETSTAT");
  await call();
  const stats = await redis.info("commandstats");
  const calls = stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g);
  const outside = ["eval", "info", "config|resetstat"];
  return Object.fromEntries(
    [...calls]
      .filter(([, name]) => !outside.includes(name!))
      .map(([, name, n]) => [name, Number(n)]),
  );
}

interface Costs {
  readonly first: Readonly<Record<string, number>>;
  readonly allow: Readonly<Record<string, number>>;
  readonly deny: Readonly<Record<string, number>>;
}

const COSTS: Record<CountingAlgorithm, Costs> = {
  "token-bucket": {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  "sliding-window-log": {
    first: { time: 1, getrange: 1, set: 1 },
    allow: { time: 1, getrange: 1, setrange: 2 },
    deny: { time: 1, getrange: 1 },
  },
  "sliding-window-counter": {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  "segmented-window": {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  "fixed-window": {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
};

const DAY = 86_400_000;
const DAYS = Array.from({ length: 366 }, (_, i) => i + 1);

/** A window that has just begun: a bucket is written anew, not incremented, where its time passes a multiple of it. */
const begun = DAYS.findLast((days) => Date.now() % (days * DAY) < (days * DAY) / 4)!;

const consume = (compiled: CompiledPolicy, ...more: readonly (string | number)[]) =>
  redis.eval(
    scriptFor(DECIDE_ONE, [compiled]).text,
    1,
    `tg:{cost}:${compiled.key}`,
    "consume",
    1,
    ...compiled.scriptArguments,
    ...more,
  );

test.for(everyPolicy(3, `${begun}d`))("commands of $algorithm", async (policy) => {
  const { first, allow, deny } = COSTS[policy.algorithm as CountingAlgorithm];
  const compiled = compilePolicy(policy);
  expect(await commandsOf(() => consume(compiled))).toEqual(first);
  expect(await commandsOf(() => consume(compiled))).toEqual(allow);
  await consume(compiled);
  expect(await commandsOf(() => consume(compiled))).toEqual(deny);
});

test("commands of concurrency: a denial writes nothing, however many slots there are", async () => {
  const compiled = compilePolicy(concurrency({ limit: 3 }));
  const take = (id: string) => consume(compiled, "e", id, 60e6);
  const write = { time: 1, zcount: 1, zremrangebyscore: 1, zadd: 1, pexpireat: 1 };
  expect(await commandsOf(() => take("a"))).toEqual(write);
  expect(await commandsOf(() => take("b"))).toEqual({ ...write, zrange: 1 });
  expect(await commandsOf(() => take("c"))).toEqual({ ...write, zrange: 2 });
  expect(await commandsOf(() => take("d"))).toEqual({ time: 1, zcount: 1, zrange: 2, zscore: 1 });
});

test("commands of a token bucket whose setting changes: only a changed one is written without taking anything", async () => {
  const planOf = (refill: number) =>
    compilePolicy(tokenBucket({ name: "plans", limit: 2, refill, per: "1d" }));
  const [silver, gold] = [planOf(1), planOf(2)];
  const { first: write, deny: read } = COSTS["token-bucket"];
  expect(await commandsOf(() => consume(silver))).toEqual(write);
  await consume(silver);
  expect(await commandsOf(() => consume(silver))).toEqual(read);
  expect(await commandsOf(() => consume(gold))).toEqual(write);
  expect(await commandsOf(() => consume(gold))).toEqual(read);
});

test("an exact log takes at most 9 bytes per unit, however it was filled", async () => {
  const compiled = compilePolicy(slidingWindowLog({ limit: 1000, window: "1h" }));
  const { limit, scriptArguments } = compiled;
  const { text } = scriptFor(DECIDE_ONE, [compiled]);
  for (const cost of [1, 7, 1000]) {
    const key = `tg:{bytes-${cost}}:log`;
    let units = 0;
    for (; units + cost <= limit; units += cost) {
      await redis.eval(text, 1, key, "consume", cost, ...scriptArguments);
    }
    const bytes = (await redis.memory("USAGE", key))!;
    expect(bytes / units).toBeLessThanOrEqual(9);
  }
});
