import { describe, expect, test, vi } from "vitest";

import { concurrency } from "../../src/algorithms/concurrency.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { byTextOrDimensions } from "../../src/decide/identify.ts";
import { createKit } from "../../src/decide/kit.ts";
import { createCore } from "../../src/decide/operations.ts";
import { shards } from "../../src/features/shards/feature.ts";
import { EVERY_FEATURE } from "../../src/limiter/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../src/limiter/options.ts";
import { checkSettings } from "../../src/limiter/settings.ts";
import { Faults } from "../../src/options/faults.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { type Fate, twoMasters } from "./two-masters.ts";

/* One policy, shard or dimension may be right by chance: a fault shows with two of them. */

const START_US = 2_000_000_000_000_000;
const SECOND_US = 1_000_000;

function settingsOf(options: LimiterOptions) {
  const faults = new Faults();
  const settings = checkSettings(options, EVERY_FEATURE, faults);
  faults.throwIfAny();
  return settings;
}

/** A limiter over a store whose clock is the test's, and not that of the machine. */
function limiterOf(options: LimiterOptions) {
  const world = {
    us: START_US,
    draws: [] as number[],
    asked: [] as (readonly string[])[],
    isAway: false,
    arrival: Promise.resolve(),
  };
  const memory = memoryStore({ now: () => world.us });
  const store: Store = {
    async decide(operation, keys, costs, policies, ...more) {
      world.asked.push(keys);
      const reply = await memory.decide(operation, keys, costs, policies, ...more);
      await world.arrival;
      return reply;
    },
    reset: (keys) => memory.reset(keys),
  };
  const settings = {
    ...settingsOf(options),
    now: () => world.us / 1000,
    random: () => world.draws.shift() ?? 0,
  };
  return { limiter: buildLimiter(store, settings, EVERY_FEATURE), world };
}

describe("of several shards", () => {
  test("a denied client waits for the first that has room, by the longest wait of its policies", async () => {
    const { limiter, world } = limiterOf({
      policies: [
        slidingWindowLog({ name: "tight", limit: 3, window: "60s", shards: 3 }),
        slidingWindowLog({ name: "wide", limit: 300, window: "60s", shards: 3 }),
      ],
    });
    for (const draw of [0, 0.4, 0.9]) {
      world.draws.push(draw);
      await limiter.limit("ada");
      world.us += 10 * SECOND_US;
    }
    world.asked.length = 0;
    world.draws.push(0.9, 0.99, 0.99);
    expect(await limiter.limit("ada")).toMatchObject({
      reason: "cached-denial",
      retryAfterMs: 30_000,
    });
    expect(world.asked).toEqual([]);
  });

  test("of unequal limits, each forgets its denial with a decision under another plan", async () => {
    const { limiter, world } = limiterOf({
      policies: [fixedWindow({ name: "hot", limit: 5, window: "1d", shards: 2 })],
      plans: { gold: { hot: { limit: 51 } } },
    });
    world.draws.push(0.9);
    await limiter.limit("ada", { cost: 2 });
    world.draws.push(0.9);
    await limiter.limit("ada", { plan: "gold" });
    world.draws.push(0.9);
    await limiter.limit("ada");
    expect(world.asked[2]![0]).toContain("{ada#1}");
  });

  test("those with equal limits are one group", () => {
    const hot = fixedWindow({ name: "hot", limit: 100, window: "1d", shards: 64 });
    const settings = settingsOf({ policies: [hot] });
    const kit = createKit(memoryStore(), settings, createMemory());
    const group = vi.spyOn(kit, "group");
    createCore(kit, { shards }, byTextOrDimensions);
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
    const limiter = buildLimiter(store, settingsOf({ policies }), EVERY_FEATURE);
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
    const { limiter, world } = limiterOf({ policies: two });
    await limiter.limit(ada);
    const never = await limiter.limit(ada, { cost: { "ip-too": 6 } });
    expect(never).toMatchObject({ reason: "cost-exceeds-limit" });
    expect(never.policies.map(({ remaining }) => remaining)).toEqual([100, 5, 0]);
    // The denying policy has all of its limit, now: by the clock of the known denial, not by the machine's.
    expect(never.headers().get("X-RateLimit-Reset")).toBe(String(START_US / SECOND_US));
    expect(world.asked).toHaveLength(1);
  });

  test("after the denials of two have expired, one request asks for all that share either", async () => {
    const short = ["ip", "key"].map((by) =>
      slidingWindowLog({ name: by, by, limit: 1, window: "10s" }),
    );
    const { limiter, world } = limiterOf({ policies: short });
    await limiter.limit(ada);
    expect(await limiter.limit(ada)).toMatchObject({ reason: "cached-denial" });
    world.us += 10 * SECOND_US;
    world.asked.length = 0;
    let arrive!: () => void;
    world.arrival = new Promise((resolve) => (arrive = resolve));
    const first = limiter.limit(ada);
    const others = [
      limiter.limit({ ip: "192.0.2.2", key: "k" }),
      limiter.limit({ ip: "192.0.2.1", key: "l" }),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.asked).toHaveLength(1);
    arrive();
    expect(await first).toMatchObject({ allowed: true });
    for (const other of await Promise.all(others)) {
      expect(other).toMatchObject({ allowed: false, reason: "cached-denial" });
    }
    expect(world.asked).toHaveLength(1);
  });
});

describe("of several masters", () => {
  const ONE = "a";
  const OTHER = ["b", "c", "d", "e"].find(
    (name) => hashSlot(`tg:{${name}}:x`) % 2 !== hashSlot(`tg:{${ONE}}:x`) % 2,
  )!;

  test("one slot that is gone ends an extension, though the other is kept", async () => {
    const fates = new Map<string, Fate>();
    const masters = twoMasters(
      () => START_US,
      (key) => fates.get(key.slice(key.indexOf("{") + 1, key.indexOf("}"))) ?? "answered",
    );
    const slots = ["one", "other"].map((by) => concurrency({ name: by, by, limit: 2, ttl: "60s" }));
    const settings = { ...settingsOf({ policies: slots }), now: () => 1_000 };
    const limiter = buildLimiter(splitStore(masters.store), settings, EVERY_FEATURE);
    const both = { one: ONE, other: OTHER };
    await (await limiter.reserve(both)).release();
    fates.set(OTHER, "not sent");
    const hold = await limiter.reserve(both);
    expect(await hold.extend()).toEqual({ status: "extended" });
    const key = `tg:{${ONE}}:${settings.policies[0]!.key}`;
    await masters.store.reset([key]);
    expect(await hold.extend()).toEqual({ status: "expired" });
  });
});
