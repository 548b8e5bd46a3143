import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { DECIDE_ONE } from "../../src/algorithms/scripts.generated.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { FACTS, factsOf } from "../support/algorithms/all.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { compile, compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import {
  concurrency,
  fixedWindow,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";

// A server of its own: other tests would show in its statistics.
let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
beforeEach(() => redis.flushall());
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
  const outside = ["eval", "evalsha", "info", "config|resetstat"];
  return Object.fromEntries(
    [...calls]
      .filter(([, name]) => !outside.includes(name!))
      .map(([, name, n]) => [name, Number(n)]),
  );
}

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
    ...(compiled.implementation.live?.(compiled) ?? compiled.scriptArguments),
    ...more,
  );

test.for(everyPolicy(3, `${begun}d`))("commands of $algorithm", async (policy) => {
  const { first, allow, deny } = factsOf(policy.algorithm).commands;
  const compiled = compilePolicy(policy);
  expect(await commandsOf(() => consume(compiled))).toEqual(first);
  expect(await commandsOf(() => consume(compiled))).toEqual(allow);
  await consume(compiled);
  expect(await commandsOf(() => consume(compiled))).toEqual(deny);
});

/** The rows of the table "What it costs": commands of an allow and of a denial, and bytes of a key. */
const COSTS = new Map(
  Array.from(
    readFileSync("docs/guarantees.md", "utf8").matchAll(
      /^\| `([\w-]+)` +\| (\d+) \/ (\d+) +\| ([\d,]+)/gm,
    ),
    ([, algorithm, ...numbers]) => [
      algorithm,
      numbers.map((each) => Number(each.replace(",", ""))),
    ],
  ),
);

/** Valkey 8.1.1 counts a key without its name. */
async function countsNames(): Promise<boolean> {
  const name = "n".repeat(1_000);
  await redis.set(name, "");
  return (await redis.memory("USAGE", name))! > name.length;
}

test.for(everyPolicy(1_000, `${begun}d`))("the documented cost of $algorithm", async (policy) => {
  const compiled = compilePolicy(policy);
  const key = `tg:{203.0.113.7}:${compiled.key}`;
  const call = (cost: number) =>
    redis.eval(
      scriptFor(DECIDE_ONE, [compiled]).text,
      1,
      key,
      "consume",
      cost,
      ...(compiled.implementation.live?.(compiled) ?? compiled.scriptArguments),
    );
  const together = async () =>
    Object.values(await commandsOf(() => call(1))).reduce((sum, calls) => sum + calls, 0);
  for (let i = 0; i < 997; i++) await call(1);
  const allowed = await together();
  for (let i = 0; i < 2; i++) await call(1);
  const row = COSTS.get(policy.algorithm);
  expect(
    row,
    `docs/guarantees.md, What it costs, has no row for ${policy.algorithm}`,
  ).toBeDefined();
  const [allow, deny, documented] = row!;
  expect([allowed, await together()]).toEqual([allow, deny]);
  // Versions of Redis and of its allocator differ a little.
  const bytes = (await redis.memory("USAGE", key))!;
  expect(bytes).toBeGreaterThan((await countsNames()) ? 0.8 * documented! : 0);
  expect(bytes).toBeLessThan(1.25 * documented!);
});

test("commands of a window of a calendar are those of any fixed window", async () => {
  const [compiled] = compileAt(
    () => Date.now() * 1000,
    fixedWindow({ name: "month", limit: 3, window: "month", timeZone: "Europe/Berlin" }),
  );
  const { first, allow, deny } = FACTS["fixed-window"].commands;
  expect(await commandsOf(() => consume(compiled!))).toEqual(first);
  expect(await commandsOf(() => consume(compiled!))).toEqual(allow);
  await consume(compiled!);
  expect(await commandsOf(() => consume(compiled!))).toEqual(deny);
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

test("commands of a token bucket whose rate changes: only a changed one is written without taking anything", async () => {
  const planOf = (refill: number) =>
    compilePolicy(tokenBucket({ name: "plans", limit: 2, refill, per: "1d" }));
  const [silver, gold] = [planOf(1), planOf(2)];
  const { first: write, deny: read } = FACTS["token-bucket"].commands;
  expect(await commandsOf(() => consume(silver))).toEqual(write);
  await consume(silver);
  expect(await commandsOf(() => consume(silver))).toEqual(read);
  expect(await commandsOf(() => consume(gold))).toEqual(write);
  expect(await commandsOf(() => consume(gold))).toEqual(read);
});

describe("commands of several policies", () => {
  const read = { time: 1, mget: 1 };
  const modes = { s: { mode: "shadow" }, d: { counts: "denials" }, e: {} } as const;

  const storeOf = () =>
    redisStore(
      {
        evalsha: (sha1, keys, args) => redis.evalsha(sha1, keys.length, ...keys, ...args),
        eval: (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
      },
      ALL_SCRIPTS,
    );

  /** The commands of the second of two decisions. */
  async function steady(policies: readonly CompiledPolicy[]) {
    const keys = policies.map(({ key }) => `tg:{steady-${policies.length}}:${key}`);
    const costs = policies.map(() => 1);
    const store = storeOf();
    await store.decide("consume", keys, costs, policies);
    return commandsOf(async () => store.decide("consume", keys, costs, policies));
  }

  /** A decision by policies of these limits and modes, such as `3s`, each decision for the same client. */
  function limiterOf(...drawn: readonly string[]) {
    const policies = compile(
      drawn.map((each, i) => ({
        ...fixedWindow({ limit: Number.parseInt(each, 10), window: `${begun}d` }),
        ...modes[each.at(-1) as "s" | "d" | "e"],
        name: `p${i}`,
      })),
    );
    const store = storeOf();
    const keys = policies.map(({ key }) => `tg:{several-${drawn.join("-")}}:${key}`);
    const decide = (operation: "consume" | "peek" | "charge" | "lease", ...costs: number[]) =>
      commandsOf(async () => store.decide(operation, keys, costs, policies));
    return { decide };
  }

  test("are one to read all states, and one for each that changes", async () => {
    const { decide } = limiterOf("9e", "9e", "2e");
    await decide("consume", 1, 1, 1);
    expect(await decide("consume", 1, 1, 1)).toEqual({ ...read, setrange: 3 });
    // The last one denies, and the others, which had room, are asked again by what was read.
    expect(await decide("consume", 1, 1, 1)).toEqual(read);
    expect(await decide("consume", 1, 0, 0)).toEqual({ ...read, setrange: 1 });
    expect(await decide("peek", 1, 1, 1)).toEqual(read);
    expect(await decide("charge", 1, 0, 1)).toEqual({ ...read, setrange: 2 });
  });

  test("an advisory policy without room takes nothing", async () => {
    const { decide } = limiterOf("1s", "9e", "9s");
    await decide("consume", 1, 1, 1);
    expect(await decide("consume", 1, 1, 1)).toEqual({ ...read, setrange: 2 });
    expect(await decide("consume", 0, 1, 0)).toEqual({ ...read, setrange: 1 });
  });

  test("a policy that counts denials is written where another policy denies, and only then", async () => {
    const { decide } = limiterOf("2d", "1e");
    expect(await decide("consume", 0, 1)).toEqual({ ...read, set: 1 });
    expect(await decide("consume", 0, 1)).toEqual({ ...read, set: 1 });
    expect(await decide("consume", 0, 1)).toEqual({ ...read, setrange: 1 });
    // The ban is in force: it counts the denials of the other policy, and not its own.
    expect(await decide("consume", 0, 1)).toEqual({ ...read, setrange: 1 });
    expect(await decide("consume", 0, 0)).toEqual(read);
    // Its own cost and the denial of the other one, with one write.
    expect(await decide("consume", 2, 1)).toEqual({ ...read, setrange: 1 });
  });

  test("a lease charges each policy that has something, and keeps an account of each that is enforced", async () => {
    const { decide } = limiterOf("9e", "9e", "1s");
    expect(await decide("lease", 3, 3, 3)).toEqual({ ...read, set: 5 });
    expect(await decide("lease", 3, 3, 3)).toEqual({ ...read, setrange: 2, set: 2 });
    await decide("lease", 3, 3, 3);
    expect(await decide("lease", 3, 3, 3)).toEqual(read);
  });

  test("a log costs one more, which reads its end, and alone none", async () => {
    const logs = (names: readonly string[]) =>
      compile(names.map((name) => slidingWindowLog({ name, limit: 3, window: `${begun}d` })));
    const bucket = compile([tokenBucket({ name: "b", limit: 9, refill: 9, per: `${begun}d` })]);
    const allowed = await steady([...bucket, ...logs(["one", "two"])]);
    expect(allowed).toEqual({ time: 1, mget: 1, getrange: 2, setrange: 3 });
    expect(await steady(logs(["one", "two"]))).toEqual({ time: 1, getrange: 2, setrange: 2 });
  });

  test("a refund is one to read all states, and one for each that changes", async () => {
    const windows = compile([
      fixedWindow({ name: "f", limit: 9, window: `${begun}d` }),
      tokenBucket({ name: "b", limit: 9, refill: 9, per: `${begun}d` }),
    ]);
    const store = storeOf();
    const keys = windows.map(({ key }) => `tg:{refunded}:${key}`);
    const reply = await store.decide("consume", keys, [1, 1], windows);
    const back = () => store.refund!(keys, [1, 1], windows, reply);
    expect(await commandsOf(async () => back())).toEqual({ time: 1, mget: 1, set: 2 });
    expect(await commandsOf(async () => back())).toEqual({ time: 1, mget: 1 });
  });
});

test("a log whose oldest requests have left reads where they end", async () => {
  const compiled = compilePolicy(slidingWindowLog({ name: "left", limit: 100, window: "1s" }));
  await consume(compiled);
  for (let i = 0; i < 40; i++) await consume(compiled);
  await sleep(1_001);
  // All of them have left, which the newest one says.
  expect(await commandsOf(() => consume(compiled))).toEqual({ time: 1, getrange: 1, set: 1 });
});

test("a log reads one entry for each that leaves it, and one more, however many stay", async () => {
  const policies = compile([slidingWindowLog({ name: "leaving", limit: 1_000, window: "1h" })]);
  let nowUs = FUTURE;
  const store = storeWithClock(redis, () => nowUs);
  const take = () => store.decide("consume", ["tg:{leaving}:log"], [1], policies);
  for (let i = 0; i < 100; i++, nowUs += 1_000) await take();
  nowUs = FUTURE + 3_600_000_000;
  expect(await commandsOf(async () => take())).toEqual({ getrange: 2, setrange: 1 });
});

test("a log takes 10 bytes for each request, whatever it costs", async () => {
  const compiled = compilePolicy(slidingWindowLog({ limit: 1000, window: "1h" }));
  const { limit, scriptArguments } = compiled;
  const { text } = scriptFor(DECIDE_ONE, [compiled]);
  for (const cost of [1, 7, 1000]) {
    const key = `tg:{bytes-${cost}}:log`;
    let requests = 0;
    for (; (requests + 1) * cost <= limit; requests++) {
      await redis.eval(text, 1, key, "consume", cost, ...scriptArguments);
    }
    expect(await redis.strlen(key)).toBe(23 + 10 * requests);
  }
});
