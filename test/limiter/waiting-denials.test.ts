import { describe, expect, test } from "vitest";

import { createWaitingDenials } from "../../src/features/roles/waiting-denials.ts";
import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  segmentedWindow,
  slidingWindowLog,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, NOT_SENT, watchedStore } from "../support/limiter/watched-store.ts";

const SECOND = 1_000_000;

const gate = slidingWindowLog({ name: "gate", limit: 1, window: "60s" });
const ban = fixedWindow({ name: "ban", limit: 5, window: "1h", counts: "denials" });

function limiterOf(policies: LimiterOptions["policies"], options: Partial<LimiterOptions> = {}) {
  const { store, world, asked } = watchedStore();
  return { limiter: createLimiter({ store, policies, ...options }), store, world, asked };
}

describe("a ban that local denials fill", () => {
  test.for([slidingWindowLog, segmentedWindow, fixedWindow])(
    "begins when it is full, and its wait is told: %o",
    async (algorithm) => {
      const long = algorithm({ name: "ban", limit: 5, window: "1h", counts: "denials" });
      const { limiter, world, asked } = limiterOf([gate, long]);
      await limiter.limit("ada");
      const waits: number[] = [];
      for (let second = 1; second <= 40; second++) {
        world.nowUs += SECOND;
        waits.push((await limiter.limit("ada")).retryAfterMs);
      }
      // Four seconds wait for the gate, the fifth denial for the ban; its end does not move while it holds.
      expect(waits.slice(0, 4)).toEqual([59_000, 58_000, 57_000, 56_000]);
      const ends = waits.slice(4).map((wait, i) => wait + i * 1000);
      expect(new Set(ends).size).toBe(1);
      expect(asked).toHaveLength(2);
      // A denial is trusted for a minute; the ban goes on.
      const banned = await limiter.limit("ada");
      world.nowUs += banned.retryAfterMs * 1000;
      expect((await limiter.limit("ada")).allowed).toBe(true);
    },
  );

  test("costs one call, though many requests come at once", async () => {
    const { limiter, world, asked } = limiterOf([gate, ban]);
    await limiter.limit("ada");
    await Promise.all(Array.from({ length: 200 }, () => limiter.limit("ada")));
    expect(asked).toHaveLength(2);
    world.nowUs += 3_600 * SECOND;
    expect((await limiter.limit("ada")).allowed).toBe(true);
  });

  test("is not made longer by denials during the ban, of any policy", async () => {
    const dimensions = [
      { ...gate, by: "ip" },
      { ...ban, by: "key" },
    ];
    const { limiter, world, asked } = limiterOf(dimensions);
    const request = () => limiter.limit({ ip: "a", key: "k" });
    for (let each = 0; each < 100; each++) await request();
    expect(asked).toHaveLength(2);
    world.nowUs += 3_599 * SECOND;
    expect((await limiter.limit({ ip: "a", key: "other" })).allowed).toBe(true);
    for (let each = 0; each < 3; each++) await request();
    expect(asked).toHaveLength(3);
    world.nowUs += 60 * SECOND;
    const { policies } = await request();
    expect(policies.map(({ name, remaining }) => [name, remaining])).toEqual([
      ["gate", 0],
      ["ban", 5],
    ]);
  });

  test("is filled by denials that a peek has left alone", async () => {
    const { limiter, world, asked } = limiterOf([gate, ban]);
    await limiter.limit("ada");
    for (let denial = 0; denial < 3; denial++) await limiter.limit("ada");
    await limiter.peek("ada");
    expect(asked).toHaveLength(2);
    world.nowUs += 60 * SECOND;
    expect((await limiter.limit("ada")).policies[1]!.remaining).toBe(2);
  });

  test("is not filled by denials as old as its window", async () => {
    const short = slidingWindowLog({ name: "ban", limit: 5, window: "70s", counts: "denials" });
    const { limiter, world } = limiterOf([gate, short]);
    await limiter.limit("ada");
    for (let denial = 0; denial < 4; denial++) await limiter.limit("ada");
    world.nowUs += 70 * SECOND - 1000;
    expect((await limiter.limit("ada")).policies[1]!.remaining).toBe(1);
    world.nowUs += 70 * SECOND;
    await limiter.limit("ada");
    for (let denial = 0; denial < 4; denial++) await limiter.limit("ada");
    world.nowUs += 70 * SECOND;
    expect((await limiter.limit("ada")).policies[1]!.remaining).toBe(5);
  });
});

describe("denials that wait to be counted", () => {
  /** A limiter with three denials that wait, and how many the store has room for when the next call succeeds. */
  async function afterThree(
    options: Partial<LimiterOptions> = {},
    policies: LimiterOptions["policies"] = [gate, ban],
  ) {
    const { limiter, store, world } = limiterOf(policies, options);
    await limiter.limit("ada");
    for (let denial = 0; denial < 3; denial++) {
      expect((await limiter.limit("ada")).reason).toBe("cached-denial");
    }
    world.nowUs += 60 * SECOND;
    const left = async () => {
      world.failure = undefined;
      world.nowUs += 60 * SECOND;
      const { policies } = await limiter.limit("ada");
      return policies.find(({ name }) => name === "ban")!.remaining;
    };
    return { limiter, store, world, left };
  }

  test("are counted once", async () => {
    const { left } = await afterThree();
    expect([await left(), await left()]).toEqual([2, 2]);
  });

  test("survive a call that was not sent", async () => {
    const { limiter, left, world } = await afterThree();
    world.failure = NOT_SENT;
    await limiter.limit("ada");
    await limiter.limit("ada");
    expect([await left(), await left()]).toEqual([2, 2]);
  });

  test.for([true, false])(
    "are not counted twice after a call with an unknown result, if it ran: %o",
    async (ran) => {
      const { limiter, left, world } = await afterThree();
      world.failure = { ...NO_ANSWER, ran };
      await limiter.limit("ada");
      expect(await left()).toBe(ran ? 2 : 5);
    },
  );

  test("are counted once by this isolate's memory in an outage", async () => {
    const { limiter, world } = await afterThree({ onFailure: "local" });
    world.failure = NOT_SENT;
    const seen: number[] = [];
    for (let request = 0; request < 3; request++) {
      world.nowUs += 60 * SECOND;
      seen.push((await limiter.limit("ada")).policies[1]!.remaining);
    }
    expect(seen).toEqual([2, 2, 2]);
  });

  test("stay forgotten if a reset comes while the call is on its way", async () => {
    const { limiter, store, world, left } = await afterThree();
    world.failure = NOT_SENT;
    const { decide } = store;
    // The reset has ended before the call fails.
    store.decide = async (...request) => {
      store.decide = decide;
      await limiter.reset("ada");
      return decide(...request);
    };
    await limiter.limit("ada");
    expect(await left()).toBe(5);
  });

  test("of every dimension are forgotten by a reset", async () => {
    const { limiter, world } = limiterOf([
      { ...gate, by: "ip" },
      { ...ban, name: "bans", by: "ip" },
      { ...ban, by: "key" },
    ]);
    const ada = { ip: "192.0.2.1", key: "k" };
    await limiter.limit(ada);
    for (let denial = 0; denial < 3; denial++) await limiter.limit(ada);
    await limiter.reset(ada);
    world.nowUs += SECOND;
    const { policies } = await limiter.limit(ada);
    expect(policies.map(({ name, remaining }) => [name, remaining])).toEqual([
      ["gate", 0],
      ["bans", 5],
      ["ban", 5],
    ]);
  });

  test("survive beside a lease, too", async () => {
    const leased = fixedWindow({ name: "gate", limit: 1, window: "60s", by: "ip", lease: "50ms" });
    const { limiter, world } = limiterOf([leased, { ...ban, by: "key" }]);
    const request = () => limiter.limit({ ip: "a", key: "k" });
    for (let each = 0; each < 4; each++) await request();
    world.nowUs += 60 * SECOND;
    world.failure = NOT_SENT;
    await request();
    world.failure = undefined;
    world.nowUs += 60 * SECOND;
    const { policies } = await request();
    expect(policies.find(({ name }) => name === "ban")!.remaining).toBe(2);
  });
});

describe("denials that wait", () => {
  const WINDOW_MS = 1_000;

  test("are those of ten thousand keys at most: the one that was denied longest ago is forgotten", () => {
    const waiting = createWaitingDenials();
    waiting.add("hot", 0);
    waiting.add("cold", 0);
    for (let flood = 0; flood < 9_999; flood++) {
      waiting.add("hot", 0);
      waiting.add(`flood-${flood}`, 0);
    }
    expect(waiting.take("cold", 0, WINDOW_MS).count).toBe(0);
    expect(waiting.take("hot", 0, WINDOW_MS).count).toBe(10_000);
  });

  test("count for a window after the last of them, and not a moment longer", () => {
    for (const [ms, count] of [
      [1_400, 2],
      [1_401, 0],
    ] as const) {
      const waiting = createWaitingDenials();
      waiting.add("key", 0);
      waiting.add("key", 401);
      expect(waiting.take("key", ms, WINDOW_MS).count).toBe(count);
      // They leave with the call that takes them, even if it fails.
      expect(waiting.take("key", ms, WINDOW_MS).count).toBe(0);
    }
  });

  test("are counted here once, however often the store is not asked", () => {
    const waiting = createWaitingDenials();
    waiting.add("key", 0);
    const first = waiting.take("key", 0, WINDOW_MS);
    expect([first.count, first.uncountedHere]).toEqual([1, 1]);
    first.putBack();
    waiting.add("key", 0);
    const second = waiting.take("key", 0, WINDOW_MS);
    expect([second.count, second.uncountedHere]).toEqual([2, 1]);
    second.putBack();
    expect(waiting.take("key", 0, WINDOW_MS).uncountedHere).toBe(0);
  });
});
