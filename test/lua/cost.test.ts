import { readFileSync } from "node:fs";

import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { DECIDE_ONE } from "../../src/algorithms/scripts.generated.ts";
import { concurrency, fixedWindow, slidingWindowLog, tokenBucket } from "../../src/index.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { FACTS, factsOf } from "../support/algorithms/all.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { compile, compilePolicy } from "../support/compile-policy.ts";
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
  const [allow, deny, documented] = COSTS.get(policy.algorithm)!;
  expect([allowed, await together()]).toEqual([allow, deny]);
  // Versions of Redis and of its allocator differ a little.
  const bytes = (await redis.memory("USAGE", key))!;
  expect(bytes).toBeGreaterThan(0.8 * documented!);
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

test("commands of a token bucket whose setting changes: only a changed one is written without taking anything", async () => {
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
  const reads = (get: number) => ({ time: 1, get });
  const modes = { s: { mode: "shadow" }, d: { counts: "denials" }, e: {} } as const;

  /** A decision by policies of these limits and modes, such as `3s`, each decision for the same client. */
  function limiterOf(...drawn: readonly string[]) {
    const policies = compile(
      drawn.map((each, i) => ({
        ...fixedWindow({ limit: Number.parseInt(each, 10), window: `${begun}d` }),
        ...modes[each.at(-1) as "s" | "d" | "e"],
        name: `p${i}`,
      })),
    );
    const store = redisStore(
      {
        evalsha: (sha1, keys, args) => redis.evalsha(sha1, keys.length, ...keys, ...args),
        eval: (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
      },
      ALL_SCRIPTS,
    );
    const keys = policies.map(({ key }) => `tg:{several-${drawn.join("-")}}:${key}`);
    const decide = (operation: "consume" | "peek" | "charge" | "lease", ...costs: number[]) =>
      commandsOf(async () => store.decide(operation, keys, costs, policies));
    return { decide };
  }

  test("the last policy takes with its answer, the others are asked and take; none is asked again after a denial", async () => {
    const { decide } = limiterOf("9e", "9e", "2e");
    await decide("consume", 1, 1, 1);
    expect(await decide("consume", 1, 1, 1)).toEqual({ ...reads(5), setrange: 3 });
    expect(await decide("consume", 1, 1, 1)).toEqual(reads(3));
    expect(await decide("consume", 1, 0, 0)).toEqual({ ...reads(4), setrange: 1 });
    expect(await decide("peek", 1, 1, 1)).toEqual(reads(3));
    expect(await decide("charge", 1, 0, 1)).toEqual({ ...reads(3), setrange: 2 });
  });

  test("an advisory policy without room takes nothing, and is not asked again", async () => {
    const { decide } = limiterOf("1s", "9e", "9s");
    await decide("consume", 1, 1, 1);
    expect(await decide("consume", 1, 1, 1)).toEqual({ ...reads(5), setrange: 2 });
    expect(await decide("consume", 0, 1, 0)).toEqual({ ...reads(4), setrange: 1 });
  });

  test("a policy that counts denials is written where another policy denies, and only then", async () => {
    const { decide } = limiterOf("2d", "1e");
    expect(await decide("consume", 0, 1)).toEqual({ ...reads(3), set: 1 });
    expect(await decide("consume", 0, 1)).toEqual({ ...reads(3), set: 1 });
    expect(await decide("consume", 0, 1)).toEqual({ ...reads(3), setrange: 1 });
    // The ban is in force: it counts the denials of the other policy, and not its own.
    expect(await decide("consume", 0, 1)).toEqual({ ...reads(3), setrange: 1 });
    expect(await decide("consume", 0, 0)).toEqual(reads(2));
    expect(await decide("consume", 2, 0)).toEqual({ ...reads(2), setrange: 1 });
  });

  test("a lease asks each policy, charges those that have something, and keeps an account of each that is enforced", async () => {
    const { decide } = limiterOf("9e", "9e", "1s");
    expect(await decide("lease", 3, 3, 3)).toEqual({ ...reads(8), set: 5 });
    expect(await decide("lease", 3, 3, 3)).toEqual({ ...reads(7), setrange: 2, set: 2 });
    await decide("lease", 3, 3, 3);
    expect(await decide("lease", 3, 3, 3)).toEqual(reads(5));
  });
});

test("a log of several pages writes a unit and its header, and reads no page for it", async () => {
  const compiled = compilePolicy(slidingWindowLog({ name: "pages", limit: 100, window: "1d" }));
  // The page of the oldest unit, which has a copy, and then the other two of this ring.
  for (let unit = 1; unit <= 8; unit++) await consume(compiled);
  for (let unit = 9; unit <= 24; unit++) {
    const commands = await commandsOf(() => consume(compiled));
    expect(commands).toEqual({ time: 1, getrange: 1, setrange: 2 });
  }
});

test("a shorter window joins a log without a new expiry", async () => {
  const windowOf = (window: "1d" | "1h") =>
    compilePolicy(slidingWindowLog({ name: "joined", limit: window === "1d" ? 9 : 20, window }));
  const [long, short] = [windowOf("1d"), { ...windowOf("1h"), key: windowOf("1d").key }];
  await consume(long);
  expect(await commandsOf(() => consume(short))).toEqual({ time: 1, getrange: 2, setrange: 2 });
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
