import { describe, expect, test } from "vitest";

import { limiterOver } from "../support/limiter/limiter-over.ts";
import {
  concurrency,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  type Store,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";
import { random } from "../support/random.ts";

const DAY = { window: "1d" } as const;
const START_US = 2_000_000_000_000_000;

/**
 * A limiter that counts in memory, on a clock that the test moves. `draws` are where the next random numbers lie in the
 * list of shards, from 0 to below 1; then they come from a seed.
 */
function limiterOf(options: LimiterOptions, more: Partial<Store> = {}) {
  const { store, world, asked } = watchedStore(START_US);
  const draws: number[] = [];
  const drawn = random(7);
  const own = { now: () => world.nowUs / 1000, random: () => draws.shift() ?? drawn() };
  const limiter = limiterOver({ ...store, ...more }, options, own);
  /** The number of allowed requests, of this many. */
  async function admitted(count: number, ...request: Parameters<typeof limiter.limit>) {
    let allowed = 0;
    for (let i = 0; i < count; i++) allowed += Number((await limiter.limit(...request)).allowed);
    return allowed;
  }
  /** Takes the four units of the first shard, and sends the next request there, too. */
  async function fillFirst() {
    draws.push(0, 0, 0, 0);
    for (let i = 0; i < 4; i++) await (await limiter.reserve("ada")).settle();
    asked.length = 0;
    draws.push(0);
  }
  const keys = () => asked.map((call) => call.keys);
  return { world, draws, asked, keys, limiter, admitted, fillFirst };
}

const three = () => [fixedWindow({ name: "hot", limit: 10, ...DAY, shards: 3 })];

describe("a policy with shards", () => {
  test("admits its limit and no more, in any order", async () => {
    const { admitted, keys } = limiterOf({ policies: three() });
    expect(await admitted(50, "ada")).toBe(10);
    expect(new Set(keys().flat())).toEqual(
      new Set(["tg:{ada#0}:hot:f3:1d", "tg:{ada#1}:hot:f3:1d", "tg:{ada#2}:hot:f3:1d"]),
    );
    expect(await admitted(50, "bob")).toBe(10);
  });

  test("has the first shards take the remainder of the division", async () => {
    const { draws, limiter } = limiterOf({ policies: three() });
    const left: number[] = [];
    for (const draw of [0, 0.34, 0.67]) {
      draws.push(draw);
      left.push((await limiter.limit("ada")).policies[0]!.remaining);
    }
    expect(left).toEqual([3, 2, 2]);
  });

  test("shows the whole limit, and the remaining units of the asked shard", async () => {
    const { limiter } = limiterOf({
      policies: [tokenBucket({ name: "hot", limit: 20, refill: 10, per: "1s", shards: 4 })],
    });
    const decision = await limiter.limit("ada");
    expect(decision.policies[0]).toMatchObject({ limit: 20, window: 2, remaining: 4 });
    const fields = decision.headers();
    expect(fields.get("RateLimit-Policy")).toBe('"hot";q=20;w=2');
    expect(fields.get("RateLimit")).toMatch(/^"hot";r=4;/);
    expect(fields.get("X-RateLimit-Limit")).toBe("20");
  });

  test("takes another slot with the second try: the first one may be given back late", async () => {
    const store = memoryStore({ now: () => START_US });
    const slots: unknown[] = [];
    const { draws, limiter, fillFirst } = limiterOf(
      { policies: [...three(), concurrency({ name: "work", limit: 5 })], denialCache: false },
      {
        ...store,
        decide(operation, keys, costs, policies, slot) {
          slots.push(slot?.id);
          return store.decide(operation, keys, costs, policies, slot);
        },
      },
    );
    await fillFirst();
    slots.length = 0;
    draws.push(0.34);
    const hold = await limiter.reserve("ada");
    expect([hold.allowed, slots.length, new Set(slots).size]).toEqual([true, 2, 2]);
    const used = async () => (await limiter.peek("ada")).policies[1]!.remaining;
    expect(await used()).toBe(4);
    await hold.extend();
    await hold.release();
    expect(await used()).toBe(5);
  });

  test.for([
    [0, 1],
    [0.5, 2],
  ])(
    "draws the other shard among all but the one that denied: %d is shard %i",
    async ([draw, shard]) => {
      const { draws, limiter, keys, fillFirst } = limiterOf({
        policies: three(),
        denialCache: false,
      });
      await fillFirst();
      draws.push(0, draw!);
      expect((await limiter.limit("ada")).allowed).toBe(true);
      expect(keys().flat()).toEqual(["tg:{ada#0}:hot:f3:1d", `tg:{ada#${shard}}:hot:f3:1d`]);
    },
  );

  test("is looked at in one shard", async () => {
    const { limiter, keys, fillFirst } = limiterOf({ policies: three(), denialCache: false });
    await fillFirst();
    expect((await limiter.peek("ada")).allowed).toBe(false);
    expect(keys().flat()).toEqual(["tg:{ada#0}:hot:f3:1d"]);
  });

  test("shows itself after a charge of 0", async () => {
    const { limiter, keys } = limiterOf({
      policies: [...three(), fixedWindow({ name: "own", limit: 9, ...DAY })],
    });
    const { policies } = await limiter.charge("ada", { hot: 0, own: 5 });
    expect(policies.map(({ name }) => name)).toEqual(["hot", "own"]);
    expect(keys().map(({ length }) => length)).toEqual([2]);
  });

  test("is denied with no call once every shard is known to deny, for the shortest of their waits", async () => {
    const { world, limiter, asked, admitted } = limiterOf({
      policies: [tokenBucket({ name: "hot", limit: 2, refill: 2, per: "1s", shards: 2 })],
    });
    await admitted(1, "ada");
    world.nowUs += 300_000;
    await admitted(5, "ada");
    asked.length = 0;
    const { allowed, reason, retryAfterMs } = await limiter.limit("ada");
    // One unit per second and shard: the first shard has one again 1 s after its request, 700 ms from now.
    expect({ allowed, reason, retryAfterMs }).toEqual({
      allowed: false,
      reason: "cached-denial",
      retryAfterMs: 700,
    });
    expect(asked).toEqual([]);
    world.nowUs += 700_000;
    expect((await limiter.limit("ada")).allowed).toBe(true);
  });

  test.each([0, 0.5])(
    "is denied for the shorter wait of the two shards that were asked, of which %d is the first",
    async (first) => {
      const { world, draws, limiter, asked } = limiterOf({
        policies: [tokenBucket({ name: "hot", limit: 2, refill: 2, per: "1s", shards: 2 })],
        denialCache: false,
      });
      draws.push(0);
      await limiter.limit("ada");
      world.nowUs += 300_000;
      draws.push(0.5);
      await limiter.limit("ada");
      asked.length = 0;
      draws.push(first);
      expect(await limiter.limit("ada")).toMatchObject({ allowed: false, retryAfterMs: 700 });
      expect(asked).toHaveLength(2);
    },
  );

  test("is full where one of the policies that share it is, and another shard is asked", async () => {
    const { draws, limiter, asked, keys } = limiterOf({
      policies: [...three(), fixedWindow({ name: "wide", limit: 99, ...DAY, shards: 3 })],
    });
    // The first shard has four units and the second three: the isolate learns that both are full.
    for (const draw of [0, 0, 0, 0, 0.34, 0.34, 0.34]) {
      draws.push(draw);
      await limiter.limit("ada");
    }
    asked.length = 0;
    draws.push(0, 0);
    expect((await limiter.limit("ada")).allowed).toBe(true);
    expect(keys()).toEqual([["tg:{ada#2}:hot:f3:1d", "tg:{ada#2}:wide:f3:1d"]]);
  });

  test("asks no second shard where another policy denies as well", async () => {
    const { limiter, keys, fillFirst } = limiterOf({
      policies: [...three(), fixedWindow({ name: "own", limit: 4, ...DAY })],
      denialCache: false,
    });
    await fillFirst();
    expect((await limiter.limit("ada")).allowed).toBe(false);
    expect(keys()).toEqual([["tg:{ada#0}:hot:f3:1d", "tg:{ada}:own:f3:1d"]]);
  });

  test("asks no second shard where a policy counts the denial", async () => {
    const { limiter, asked, fillFirst } = limiterOf({
      policies: [...three(), fixedWindow({ name: "ban", limit: 9, ...DAY, counts: "denials" })],
      denialCache: false,
    });
    await fillFirst();
    const { allowed, policies } = await limiter.limit("ada");
    expect(allowed).toBe(false);
    expect(policies.map(({ remaining }) => remaining)).toEqual([0, 8]);
    expect(asked).toHaveLength(1);
  });

  test("takes no cost above the smallest shard's limit, and a charge of any", async () => {
    const { limiter, asked, keys } = limiterOf({ policies: three() });
    expect(await limiter.limit("ada", { cost: 4 })).toMatchObject({
      reason: "cost-exceeds-limit",
      retryAfterMs: Infinity,
    });
    expect((await limiter.peek("ada", { cost: 4 })).reason).toBe("cost-exceeds-limit");
    expect(asked).toEqual([]);
    expect((await limiter.limit("ada", { cost: 3 })).allowed).toBe(true);
    await limiter.charge("bob", 100);
    // One call for all three shards.
    expect(keys().map(({ length }) => length)).toEqual([1, 3]);
  });

  test("is looked at in a shard that has room", async () => {
    const { draws, limiter } = limiterOf({ policies: three() });
    draws.push(0);
    // Two units to the first shard, one to each of the others.
    await limiter.charge("ada", 4);
    draws.push(0, 0);
    expect((await limiter.peek("ada")).policies[0]).toMatchObject({ remaining: 2, allowed: true });
  });

  test("has its whole limit again after a reset", async () => {
    const { limiter, admitted } = limiterOf({ policies: three() });
    expect(await admitted(20, "ada")).toBe(10);
    await limiter.reset("ada");
    expect(await admitted(20, "ada")).toBe(10);
  });

  test("goes with others, in dimensions of their own, and shares its shard with those split alike", async () => {
    const { limiter, asked } = limiterOf({
      policies: [
        fixedWindow({ name: "all", by: "*", limit: 100, ...DAY, shards: 8 }),
        fixedWindow({ name: "ip", by: "ip", limit: 5, ...DAY }),
        fixedWindow({ name: "burst", by: "*", limit: 50, ...DAY, shards: 8 }),
        fixedWindow({ name: "slow", by: "*", limit: 50, ...DAY }),
      ],
    });
    const { policies } = await limiter.limit({ ip: "192.0.2.1" });
    expect(policies.map(({ name, limit }) => [name, limit])).toEqual([
      ["all", 100],
      ["ip", 5],
      ["burst", 50],
      ["slow", 50],
    ]);
    const tags = Object.fromEntries(
      asked[0]!.keys.map((key) => [/:(\w+):f3:1d$/.exec(key)![1], /\{.*\}/.exec(key)![0]]),
    );
    expect(tags["all"]).toMatch(/^\{\*#[0-7]\}$/);
    expect(tags).toMatchObject({ burst: tags["all"], ip: "{192.0.2.1}", slow: "{*}" });
  });

  test("lies elsewhere than the others, so that a cluster's denials of both are not relied on", async () => {
    const policies = [...three(), fixedWindow({ name: "own", limit: 1, ...DAY })];
    const { asked, admitted } = limiterOf({ policies }, { spansPartitions: () => false });
    expect(await admitted(4, "ada")).toBe(1);
    expect(asked).toHaveLength(4);
  });

  test.each([100, 37, 4, 1])("carries a charge of %d units in all its shards", async (units) => {
    const { limiter, admitted, keys } = limiterOf({
      policies: [fixedWindow({ name: "hot", limit: 100, ...DAY, shards: 4 })],
    });
    await limiter.charge("ada", units);
    expect(keys().map(({ length }) => length)).toEqual([Math.min(units, 4)]);
    expect(await admitted(300, "ada")).toBe(100 - units);
  });

  test("charges policies that are not split once", async () => {
    const { limiter } = limiterOf({
      policies: [
        fixedWindow({ name: "hot", limit: 100, ...DAY, shards: 4 }),
        fixedWindow({ name: "own", limit: 100, ...DAY }),
      ],
    });
    await limiter.charge("ada", { hot: 10, own: 30 });
    const { policies } = await limiter.peek("ada");
    expect(policies.map(({ name, remaining }) => [name, remaining])).toEqual([
      ["hot", expect.any(Number)],
      ["own", 70],
    ]);
  });

  test.each([
    [1, 1_000],
    [0.01, 10],
    [0.001, 1],
    [0.5, 500],
  ])(
    "admits a share of %d of its limit there, not one rounded up by each shard",
    async (share, most) => {
      const onFailure = { local: { share } };
      const policies = [fixedWindow({ name: "hot", limit: 1_000, ...DAY, shards: 64, onFailure })];
      const { world, admitted } = limiterOf({ policies });
      world.failure = NO_ANSWER;
      expect(await admitted(2_000, "ada")).toBe(most);
    },
  );

  test("in shadow denies no request", async () => {
    const { admitted, limiter } = limiterOf({
      policies: [
        fixedWindow({ name: "hot", limit: 10, ...DAY, shards: 3, mode: "shadow" }),
        fixedWindow({ name: "own", limit: 20, ...DAY }),
      ],
    });
    expect(await admitted(60, "ada")).toBe(20);
    expect((await limiter.peek("ada")).shadow).toMatchObject([{ name: "hot", limit: 10 }]);
  });
});
