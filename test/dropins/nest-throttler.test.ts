import { ThrottlerStorageService } from "@nestjs/throttler";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";

import { memoryStore, StoreError } from "../../src/index.ts";
import { TidegateThrottlerStorage } from "../../src/nest-throttler.ts";
import { fromIoredis } from "../../src/node.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { runs } from "../support/runs.ts";
import {
  ANY_NUMBER,
  expectPassing,
  expectRow,
  farClient,
  faultyClient,
  overlapping,
  rowOf,
  shownOf,
} from "./beside.ts";
import {
  connect,
  countedRedis,
  noRedis,
  ownPrefix,
  quietly,
  redisByDate,
  standStill,
} from "./clocked-redis.ts";
import { serve, type Storage } from "./nest-app.ts";

const PAGE = "nest-throttler";

const ours = (redis: RedisClient = redisByDate()) =>
  new TidegateThrottlerStorage({ redis, prefix: ownPrefix(), timeout: "20s" });

function theirs(): ThrottlerStorageService {
  const storage = new ThrottlerStorageService();
  onTestFinished(() => storage.onApplicationShutdown());
  return storage;
}

interface Settings {
  readonly ttl: number;
  readonly limit: number;
  readonly block: number;
}

interface Call extends Settings {
  readonly passMs: number;
  readonly key: string;
  readonly name: string;
}

/** A record without what has rows of its own: of a request that passes the wait, of a blocked one the hits. */
async function shown(storage: Storage, { key, ttl, limit, block, name }: Call) {
  const record = await storage.increment(key, ttl, limit, block, name);
  const { totalHits, timeToExpire, isBlocked, timeToBlockExpire } = record;
  return isBlocked ? { isBlocked, timeToBlockExpire } : { isBlocked, totalHits, timeToExpire };
}

const milliseconds = fc.constantFrom(1, 2.5, 250, 1_000, 1_500, 10_000, 60_000);
const limits = fc.constantFrom(1, 2, 2.5, 3, 5, 5, Infinity);
const settings = fc.record<Settings>({
  ttl: fc.oneof({ weight: 8, arbitrary: milliseconds }, fc.constantFrom(0, 1e10)),
  limit: limits,
  block: fc.oneof(fc.constant(0), milliseconds),
});
const passMs = fc.oneof(
  fc.integer({ min: 0, max: 3_000 }),
  fc.constantFrom(0, 0, 1, 10_000, 60_000),
);

const key = fc.constantFrom("ada", "bob");
const name = fc.constant("default");
const LENGTHS = { minLength: 1, maxLength: 40 };

/** Calls by one throttler, and by throttlers that compute the limit and the block; they block always or never. */
const calls = settings.chain(({ ttl, limit, block }) => {
  const same = { passMs, key, name, ttl: fc.constant(ttl) };
  const blocks = block > 0 ? milliseconds : fc.constant(0);
  const fixed = fc.record<Call>({ ...same, limit: fc.constant(limit), block: fc.constant(block) });
  const computed = fc.record<Call>({ ...same, limit: limits, block: blocks });
  return fc.oneof(fc.array(fixed, LENGTHS), fc.array(computed, LENGTHS));
});

describe("TidegateThrottlerStorage beside ThrottlerStorageService", () => {
  const inMemory = () => memoryStore({ now: () => Date.now() * 1000 });

  test.each([
    ["in Redis", () => ({ redis: redisByDate() })],
    ["without Redis", () => ({ redis: noRedis })],
    ["in memoryStore()", () => ({ store: inMemory() })],
  ])("any calls, any times, %s: each record is equal", async (_, placeOf) => {
    quietly();
    const clock = standStill();
    const place = placeOf();
    await fc.assert(
      fc.asyncProperty(calls, async (all) => {
        const own = new TidegateThrottlerStorage({ ...place, prefix: ownPrefix() });
        const both = [theirs(), own];
        for (const call of all) {
          clock.pass(call.passMs);
          const [expected, actual] = await Promise.all(both.map((storage) => shown(storage, call)));
          expect(actual).toEqual(expected);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test("many hits at once, Redis 2 to 12 ms away: as many pass", async () => {
    const far = farClient(fromIoredis(connect()));
    const passed = [];
    for (const [limit, block] of [
      [5, 60_000],
      [5, 300_000],
      [5, 30_000],
      [5, 0],
      [100, 1_000],
    ] as const) {
      for (const storage of [theirs(), ours(far)]) {
        const records = await overlapping(runs(2_000), 100, () =>
          storage.increment("ada", 60_000, limit, block, "default"),
        );
        passed.push(records.filter(({ isBlocked }) => !isBlocked).length);
      }
    }
    expect(passed).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 100, 100]);
  });

  test("throttlers of one key count apart, and a sum of names and keys is no other", async () => {
    standStill();
    for (const storage of [theirs(), ours()]) {
      const hits = [];
      for (const [name, key] of [
        ["short", "ada"],
        ["long", "ada"],
        ["short", "ada"],
        ["shorta", "da"],
      ] as const) {
        hits.push((await storage.increment(key, 60_000, 9, 0, name)).totalHits);
      }
      expect(hits).toEqual([1, 1, 2, 1]);
    }
  });
});

describe("arguments of any kind: as in the throttler's own storage, or a row of docs/moving/nest-throttler.md", () => {
  const NUMBERS = { ttl: 10_000, limit: 3, block: 20_000 };
  const LONG = [2 ** 52, Number.MAX_SAFE_INTEGER, 1e21, Number.MAX_VALUE];
  const DIFFERENT = {
    limit: {
      "a limit below 1 with a `blockDuration`": [
        null,
        "",
        "-1",
        0,
        -0,
        -1,
        -3,
        -Infinity,
        [],
        0.5,
        0.001,
      ],
    },
    ttl: {
      "a text as `ttl` or `blockDuration`, past the guard": ["3", "three", "-1", "2.5"],
      "no number, or one below 0, as `ttl`": [undefined, NaN, {}, -1, -3, -Infinity],
      "a time of more than 133 years": LONG,
    },
    block: {
      "a text as `ttl` or `blockDuration`, past the guard": ["3", "2.5"],
      "no number as `blockDuration`, past the guard": ["three", undefined, NaN, {}],
      "a time of more than 133 years": LONG,
    },
  };
  const every = (["ttl", "limit", "block"] as const).flatMap((name) =>
    [...ANY_NUMBER, 0.5].flatMap((value) =>
      (name === "block" ? [0] : [0, 20_000]).map((block) => ({
        label: `${name}: ${shownOf(value)}${block > 0 ? " with a block" : ""}`,
        name,
        value,
        block,
      })),
    ),
  );

  test.each(every)("$label", async ({ name, value, block }) => {
    const clock = standStill();
    const [row] = name === "limit" && block === 0 ? [] : rowOf(DIFFERENT[name], value);
    const [their, own] = [theirs(), ours()];
    const numbers = { ...NUMBERS, block, [name]: value } as Settings;
    const call = { ...numbers, passMs: 0, key: "ada", name: "default" };
    const records = [];
    for (const passMs of [0, 0, 1_000, 0, 0, 9_000, 11_000, 0]) {
      clock.pass(passMs);
      records.push([await shown(their, call), await shown(own, call)]);
    }
    const equal = records.map(([expected]) => [expected, expected]);
    if (row) {
      expectRow(PAGE, row);
      expect(records).not.toEqual(equal);
    } else {
      expect(records).toEqual(equal);
    }
  });

  test("a limit below 1 lets nothing pass: the own storage lets one pass after each block", async () => {
    const clock = standStill();
    const passed = [];
    for (const storage of [theirs(), ours()]) {
      let count = 0;
      for (let i = 0; i < 10; i++) {
        count += Number(!(await storage.increment("ada", 1_000, 0, 5_000, "default")).isBlocked);
        clock.pass(1_000);
      }
      passed.push(count);
    }
    expect(passed).toEqual([1, 0]);
  });

  test("beyond 1,000 hits of a ttl, one ends up to a thousandth of it later, and none earlier", async () => {
    expectRow(PAGE, "more than 1,000 hits in a `ttl`");
    const clock = standStill();
    const both = [theirs(), ours()];
    const left: number[][] = [];
    for (let i = 0; i < 625; i++) {
      const hits = [...both, ...both].map((storage) =>
        storage.increment("ada", 10_000, Infinity, 0, "default"),
      );
      await Promise.all(hits);
      clock.pass(2);
    }
    for (let i = 0; i < 9; i++) {
      clock.pass(1_111);
      const hits = [];
      for (const storage of both) {
        hits.push((await storage.increment("ada", 10_000, Infinity, 0, "default")).totalHits);
      }
      left.push(hits);
    }
    for (const [their, own] of left) {
      expect(own).toBeGreaterThanOrEqual(their!);
      expect(own).toBeLessThanOrEqual(their! + 20);
    }
  });
});

describe("in an application", () => {
  test.each([
    { ttl: 10_000, limit: "10" },
    { ttl: "10000", limit: 3 },
    { ttl: 10_000, limit: Infinity },
    { ttl: 10_000, limit: 2.5 },
    { ttl: 10_000, limit: 2.5, blockDuration: 0 },
    { ttl: 0, limit: 3 },
    { ttl: 0.5, limit: 1 },
    { ttl: 100 / 3, limit: 1 },
    { ttl: 10_000, limit: 0, blockDuration: 0 },
    { ttl: Infinity, limit: 3 },
    { ttl: 10_000, limit: 3, blockDuration: "2500" },
    { ttl: 10_000, limit: 3, blockDuration: 3e12 },
    { ttl: 3e12, limit: 3 },
    { ttl: () => 10_000, limit: () => "3" },
    { ttl: 10_000, limit: NaN },
    { ttl: 10_000, limit: "many" },
  ])("a throttler of %o: each status and each field is equal", async (throttler) => {
    const clock = standStill();
    const urls = [await serve(theirs(), throttler), await serve(ours(), throttler)];
    for (const passMs of [0, 1, 0, 500, 0, 1_000, 9_000, 0, 3_000]) {
      clock.pass(passMs);
      const [their, own] = await Promise.all(
        urls.map(async (url) => {
          const { status, headers } = await fetch(url);
          const fields = [...headers].filter(([field]) => /ratelimit|retry/.test(field));
          return { status, fields };
        }),
      );
      expect(own).toEqual(their);
    }
  });
});

describe("without Redis", () => {
  test("an outage goes on from what Redis said: hits and blocks hold, and nothing rejects", async () => {
    quietly();
    const clock = standStill();
    const faulty = faultyClient(redisByDate());
    const storage = ours(faulty.redis);
    const passed = async (key: string, hits: number, block: number) => {
      let count = 0;
      for (let i = 0; i < hits; i++) {
        count += Number(!(await storage.increment(key, 10_000, 5, block, "default")).isBlocked);
      }
      return count;
    };
    expect(await passed("counted", 3, 30_000)).toBe(3);
    expect(await passed("blocked", 9, 30_000)).toBe(5);
    expect(await passed("short", 9, 2_000)).toBe(5);
    expect(await passed("plain", 9, 0)).toBe(5);
    faulty.fault = "gone";
    expect(await passed("counted", 9, 30_000)).toBe(2);
    expect(await passed("plain", 9, 0)).toBe(0);
    clock.pass(1_999);
    expect(await passed("short", 9, 2_000)).toBe(0);
    clock.pass(1);
    expect(await passed("short", 9, 2_000)).toBe(5);
    clock.pass(27_999);
    expect(await passed("blocked", 9, 30_000)).toBe(0);
    expect(await passed("counted", 9, 30_000)).toBe(0);
    clock.pass(1);
    expect(await passed("blocked", 9, 30_000)).toBe(5);
    expect(await passed("unseen", 9, 30_000)).toBe(5);
  });

  test.each([0, 60_000])(
    "Redis that goes and comes back, replies that are lost, a block of %i ms: no more than twice the limit",
    async (block) => {
      quietly();
      await expectPassing(10, runs(30), (redis) => {
        const storage = ours(redis);
        const hit = () => storage.increment("ada", 60_000, 5, block, "default");
        return async () => !(await hit()).isBlocked;
      });
    },
  );

  test('with onFailure: "error" a hit rejects with a StoreError', async () => {
    quietly();
    const failing = new TidegateThrottlerStorage({ redis: noRedis, onFailure: "error" });
    await expect(failing.increment("ada", 1_000, 5, 1_000, "default")).rejects.toThrow(StoreError);
  });
});

test("sends one command for a request, none for a client that it knows to be blocked", async () => {
  const { redis, costOf } = countedRedis();
  const storage = ours(redis);
  const increment = (key: string) => storage.increment(key, 60_000, 2, 60_000, "default");
  await increment("bob");
  const costs = [];
  for (let i = 0; i < 4; i++) costs.push(await costOf(() => increment("ada")));
  expect(costs).toEqual([1, 1, 1, 0]);
});
