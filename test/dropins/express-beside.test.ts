import { MemoryStore, type Store } from "express-rate-limit";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";

import { TidegateStore } from "../../src/express-rate-limit.ts";
import { memoryStore, StoreError } from "../../src/index.ts";
import { fromIoredis } from "../../src/node.ts";
import { runs } from "../support/runs.ts";
import {
  ANY_NUMBER,
  expectPassing,
  expectRow,
  farClient,
  faultyClient,
  overlapping,
  shownOf,
} from "./beside.ts";
import { connect, noRedis, ownPrefix, quietly, redisByDate, standStill } from "./clocked-redis.ts";

const PAGE = "express-rate-limit";

type Place = ConstructorParameters<typeof TidegateStore>[0];

function ours(windowMs: number, place: Place = { redis: redisByDate() }): Required<Store> {
  const store = new TidegateStore({ prefix: ownPrefix(), timeout: "20s", ...place });
  store.init({ windowMs });
  return store as unknown as Required<Store>;
}

function theirs(windowMs: number): Required<Store> {
  const store = new MemoryStore();
  store.init({ windowMs } as never);
  onTestFinished(() => store.shutdown());
  return store as unknown as Required<Store>;
}

interface Call {
  readonly method: "increment" | "decrement" | "get" | "resetKey";
  readonly key: string;
  readonly passMs: number;
}

async function shown(store: Required<Store>, { method, key }: Call) {
  const found = await store[method](key);
  if (!found) return undefined;
  const { totalHits, resetTime } = found;
  return [totalHits, resetTime!.getTime() - Date.now()];
}

const calls = fc.array(
  fc.record<Call>({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant("increment" as const) },
      { weight: 5, arbitrary: fc.constantFrom(...(["decrement", "get", "resetKey"] as const)) },
    ),
    key: fc.constantFrom("ada", "bob"),
    passMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom(0, 0, 1, 60_000)),
  }),
  { minLength: 1, maxLength: 40 },
);

describe("TidegateStore beside MemoryStore", () => {
  test.each([
    ["in Redis", () => ({ redis: redisByDate() })],
    ["without Redis", () => ({ redis: noRedis })],
    ["in memoryStore()", () => ({ store: memoryStore({ now: () => Date.now() * 1000 }) })],
  ])("any calls, any times, %s: each answer is equal", async (where, placeOf) => {
    quietly();
    const clock = standStill();
    const place = placeOf();
    const windows = fc.constantFrom(50, 1_000, 1_500, 60_000, 2 ** 31 - 1);
    await fc.assert(
      fc.asyncProperty(windows, calls, async (windowMs, all) => {
        const [their, own] = [theirs(windowMs), ours(windowMs, place)];
        for (const call of all) {
          clock.pass(call.passMs);
          // There, it begins a window: a row of the table.
          if (call.method === "decrement" && !(await their.get(call.key))) continue;
          const expected = await shown(their, call);
          const actual = shown(own, call);
          // A client who is told to be free, and is not, would be a surprise.
          if (call.method === "resetKey" && where === "without Redis") {
            await expect(actual).rejects.toThrow(StoreError);
          } else {
            expect(await actual).toEqual(expected);
          }
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test("many hits at once, some taken back, Redis 2 to 12 ms away: each is counted", async () => {
    const far = farClient(fromIoredis(connect()));
    for (const store of [theirs(60_000), ours(60_000, { redis: far })]) {
      const totals = await overlapping(runs(2_000), 100, async (i) => {
        const { totalHits } = await store.increment("ada");
        if (i % 4 === 0) await store.decrement("ada");
        return totalHits;
      });
      expect(Math.min(...totals)).toBe(1);
      expect((await store.get("ada"))!.totalHits).toBe(runs(2_000) * 0.75);
    }
  });

  test("a decrement without hits begins no window", async () => {
    expectRow(PAGE, "`decrement()` of a client without hits");
    standStill();
    const found = [];
    for (const store of [theirs(1_000), ours(1_000)]) {
      await store.decrement("ada");
      found.push((await store.get("ada")) !== undefined);
    }
    expect(found).toEqual([true, false]);
  });

  test("a hit is taken back from no later window: the own store takes it from any", async () => {
    expectRow(PAGE, "`decrement()` after the window of the hit");
    const clock = standStill();
    const redis = redisByDate();
    const prefix = ownPrefix();
    const [slow, next] = [ours(1_000, { redis, prefix }), ours(1_000, { redis, prefix })];
    const their = theirs(1_000);
    for (const store of [their, slow]) await store.increment("ada");
    clock.pass(1_000);
    for (const store of [their, next]) await store.increment("ada");
    for (const store of [their, slow]) await store.decrement("ada");
    const left = [await their.get("ada"), await next.get("ada")].map((each) => each!.totalHits);
    expect(left).toEqual([0, 1]);
  });

  test("what other processes count is not local, and nobody forgets it all", () => {
    expectRow(PAGE, "`resetAll()`");
    const [their, own] = [theirs(1_000), ours(1_000)];
    expect([their.localKeys, own.localKeys]).toEqual([true, false]);
    expect([typeof their.resetAll, typeof own.resetAll]).toEqual(["function", "undefined"]);
  });
});

describe("arguments of any kind", () => {
  const OF_ITS_OWN = [1.5, 2.5, 0.5, 0.001];

  test.each([...ANY_NUMBER, ...OF_ITS_OWN, 100 / 3, 3e12].map((value) => [shownOf(value), value]))(
    "windowMs: %s counts for that long, or is a fault",
    async (_, value) => {
      const clock = standStill();
      const isTime = typeof value === "number" && value > 0;
      if (!isTime) {
        expectRow(PAGE, "a `windowMs` that is no number above 0");
        expect(() => ours(value as number)).toThrow("windowMs");
        return;
      }
      const windowMs = Math.min(value, 4e12);
      const store = ours(value);
      await store.increment("ada");
      clock.pass(Math.ceil(windowMs) - 1);
      expect((await store.increment("ada")).totalHits).toBe(2);
      if (windowMs === 4e12) return;
      clock.pass(1);
      expect((await store.increment("ada")).totalHits).toBe(1);
    },
  );

  test("keys: two are one exactly where they are one as texts", async () => {
    standStill();
    const keys = [
      "",
      "ada",
      "Ada",
      " ",
      "::1",
      "2001:db8::/56",
      "a:b",
      "{a}",
      "}",
      "%",
      "%25",
      "\n",
      "💧",
    ];
    const odd = [undefined, null, 42, "x".repeat(1_000), "__proto__", "*"] as string[];
    const store = ours(60_000);
    for (const key of [...keys, ...odd]) expect((await store.increment(key)).totalHits).toBe(1);
    for (const key of ["undefined", "null", "42"]) {
      expect((await store.increment(key)).totalHits).toBe(2);
    }
  });
});

describe("without Redis", () => {
  test("an outage goes on from what Redis said, and each hit taken back is one less", async () => {
    quietly();
    const clock = standStill();
    const faulty = faultyClient(redisByDate());
    const store = ours(60_000, { redis: faulty.redis });
    for (let i = 0; i < 3; i++) await store.increment("ada");
    clock.pass(20_000);
    faulty.fault = "gone";
    expect(await shown(store, { method: "increment", key: "ada", passMs: 0 })).toEqual([4, 40_000]);
    await store.decrement("ada");
    expect(await shown(store, { method: "get", key: "ada", passMs: 0 })).toEqual([3, 40_000]);
    clock.pass(40_000);
    expect(await shown(store, { method: "increment", key: "ada", passMs: 0 })).toEqual([1, 60_000]);
  });

  test("Redis that goes and comes back, replies that are lost: no more than twice the limit", async () => {
    quietly();
    await expectPassing(10, runs(60), (redis) => {
      const store = ours(60_000, { redis });
      return async () => (await store.increment("ada")).totalHits <= 5;
    });
  });
});
