import { describe, expect, test, vi } from "vitest";

import { createLocalUnits } from "../../src/decide/local-units.ts";
import { byTextOrDimensions } from "../../src/features/dimensions-feature.ts";
import { shardsFeature } from "../../src/features/shards-feature.ts";
import { createContext, createPath } from "../../src/limiter/limiter.ts";
import { takeTogether } from "../../src/store/decide-together.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { limiterOver, settingsOf } from "../support/limiter/limiter-over.ts";
import {
  concurrency,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  slidingWindowLog,
  type Store,
} from "../support/limiter/plain.ts";
import { watchedStore } from "../support/limiter/watched-store.ts";
import { BOTH, limiterOnTwoMasters, ONE, OTHER } from "./two-masters.ts";

/* One policy, shard or dimension may be right by chance: a fault shows with two of them. */
const START_US = 2_000_000_000_000_000;
const SECOND_US = 1_000_000;

/** A limiter over a store whose clock is the test's, and not that of the machine. */
function limiterOf(options: LimiterOptions) {
  const { counts, store: watched, world, asked } = watchedStore(START_US);
  const draws: number[] = [];
  const waiting = { arrival: Promise.resolve() };
  const store: Store = {
    async decide(...request) {
      const reply = await watched.decide(...request);
      await waiting.arrival;
      return reply;
    },
    reset: (keys) => counts.reset(keys),
  };
  const now = () => world.nowUs / 1000;
  const limiter = limiterOver(store, options, { now, random: () => draws.shift() ?? 0 });
  return { limiter, world, draws, asked, waiting };
}

describe("of several shards", () => {
  test("a denied client waits for the first that has room, by the longest wait of its policies", async () => {
    const { limiter, world, asked, draws } = limiterOf({
      policies: [
        slidingWindowLog({ name: "tight", limit: 3, window: "60s", shards: 3 }),
        slidingWindowLog({ name: "wide", limit: 300, window: "60s", shards: 3 }),
      ],
    });
    for (const draw of [0, 0.4, 0.9]) {
      draws.push(draw);
      await limiter.limit("ada");
      world.nowUs += 10 * SECOND_US;
    }
    asked.length = 0;
    draws.push(0.9, 0.99, 0.99);
    expect(await limiter.limit("ada")).toMatchObject({
      reason: "cached-denial",
      retryAfterMs: 30_000,
    });
    expect(asked).toEqual([]);
  });

  test("of unequal limits, each forgets its denial with a decision under another plan", async () => {
    const { limiter, asked, draws } = limiterOf({
      policies: [fixedWindow({ name: "hot", limit: 5, window: "1d", shards: 2 })],
      plans: { gold: { hot: { limit: 51 } } },
    });
    draws.push(0.9);
    await limiter.limit("ada", { cost: 2 });
    draws.push(0.9);
    await limiter.limit("ada", { plan: "gold" });
    draws.push(0.9);
    await limiter.limit("ada");
    expect(asked[2]!.keys[0]).toContain("{ada#1}");
  });

  test("those with equal limits are one group", () => {
    const hot = fixedWindow({ name: "hot", limit: 100, window: "1d", shards: 64 });
    const settings = settingsOf({ policies: [hot] });
    const context = createContext(memoryStore(), settings, {
      units: createLocalUnits(),
      together: takeTogether,
    });
    const group = vi.spyOn(context, "group");
    createPath(context, { shards: shardsFeature }, byTextOrDimensions);
    // The whole, the 36 with 2 units, and the 28 with one.
    expect(group).toHaveBeenCalledTimes(3);
  });
});

describe("of several dimensions", () => {
  const two = [
    fixedWindow({ name: "ip", by: "ip", limit: 100, window: "1d" }),
    fixedWindow({ name: "ip-too", by: "ip", limit: 5, window: "1d" }),
    fixedWindow({ name: "key", by: "key", limit: 1, window: "1h" }),
  ];
  const ada = { ip: "192.0.2.1", key: "k" };

  test.for([
    [2e6, 0],
    [0, 2e6],
  ])("a decision is dated by the master whose clock is ahead: by %o us", async (aheadUs) => {
    const policies = ["key", "ip"].map((by) =>
      fixedWindow({ name: by, by, limit: 5, window: "1d" }),
    );
    const store: Store = {
      decide: (_operation, keys) => ({
        nowUs: START_US,
        clocksUs: keys.map((_, i) => START_US + aheadUs[i]!),
        rows: keys.map(() => ({
          allowed: true,
          remaining: 4,
          retryAfterUs: 0,
          resetAfterUs: SECOND_US,
        })),
      }),
      reset() {},
    };
    const limiter = limiterOver(store, { policies });
    const decision = await limiter.limit({ key: "ada", ip: "192.0.2.1" });
    expect(decision.headers().get("X-RateLimit-Reset")).toBe(String(START_US / 1e6 + 3));
  });

  test.for(["key", "ip"])(
    "a request that costs 0 of the first takes its cost of the second, by %s",
    async (by) => {
      const policies = [
        fixedWindow({ name: "first", by: "key", limit: 5, window: "1d" }),
        fixedWindow({ name: "second", by, limit: 5, window: "1d" }),
      ];
      const { limiter } = limiterOf({ policies });
      const ada = { key: "ada", ip: "192.0.2.1" };
      const { policies: rows } = await limiter.limit(ada, { cost: { first: 0, second: 2 } });
      expect(rows.map(({ remaining }) => remaining)).toEqual([5, 3]);
    },
  );

  test("a cost that never fits shows the known state of each, at the store's moment", async () => {
    const { limiter, asked } = limiterOf({ policies: two });
    await limiter.limit(ada);
    const never = await limiter.limit(ada, { cost: { "ip-too": 6 } });
    expect(never).toMatchObject({ reason: "cost-exceeds-limit" });
    expect(never.policies.map(({ remaining }) => remaining)).toEqual([100, 5, 0]);
    // The denying policy has all of its limit, now: by the clock of the known denial, not by the machine's.
    expect(never.headers().get("X-RateLimit-Reset")).toBe(String(START_US / SECOND_US));
    expect(asked).toHaveLength(1);
  });

  test("after the denials of two have expired, one request asks for all that share either", async () => {
    const short = ["ip", "key"].map((by) =>
      slidingWindowLog({ name: by, by, limit: 1, window: "10s" }),
    );
    const { limiter, world, asked, waiting } = limiterOf({ policies: short });
    await limiter.limit(ada);
    expect(await limiter.limit(ada)).toMatchObject({ reason: "cached-denial" });
    world.nowUs += 10 * SECOND_US;
    asked.length = 0;
    let arrive!: () => void;
    waiting.arrival = new Promise((resolve) => (arrive = resolve));
    const first = limiter.limit(ada);
    const others = [
      limiter.limit({ ip: "192.0.2.2", key: "k" }),
      limiter.limit({ ip: "192.0.2.1", key: "l" }),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(1);
    arrive();
    expect(await first).toMatchObject({ allowed: true });
    for (const other of await Promise.all(others)) {
      expect(other).toMatchObject({ allowed: false, reason: "cached-denial" });
    }
    expect(asked).toHaveLength(1);
  });
});

describe("of several masters", () => {
  test("one slot that is gone ends an extension, though the other is kept", async () => {
    const slots = ["one", "other"].map((by) => concurrency({ name: by, by, limit: 2, ttl: "60s" }));
    const { limiter, fates, store } = limiterOnTwoMasters(slots);
    await (await limiter.reserve(BOTH)).release();
    fates.set(OTHER, "not sent");
    const hold = await limiter.reserve(BOTH);
    expect(await hold.extend()).toEqual({ status: "extended" });
    const key = `tg:{${ONE}}:${compilePolicy(slots[0]!).key}`;
    await store.reset([key]);
    expect(await hold.extend()).toEqual({ status: "expired" });
  });
});
