import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { createLimiter, fixedWindow, memoryStore } from "../support/limiter/plain.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";

/* Budgets of the greatest number that is exact, in each kind of fixed window and in each store. */

const MOST = Number.MAX_SAFE_INTEGER;

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

const NOW_US = (Date.now() + 10 * 86_400_000) * 1000;

const STORES = {
  redis: () =>
    redisStore(
      redisWithClock(redis, () => NOW_US),
      ALL_SCRIPTS,
    ),
  memory: () => memoryStore({ now: () => NOW_US }),
};

const WINDOWS = [
  { window: "month", timeZone: "Europe/Berlin" },
  { window: "30d" },
  { window: "30d", aligned: false },
] as const;

describe.each(Object.keys(STORES) as (keyof typeof STORES)[])("counted in %s", (kind) => {
  const limiterOf = (window: (typeof WINDOWS)[number]) =>
    createLimiter({
      store: { ...STORES[kind](), now: () => NOW_US },
      policies: [fixedWindow({ name: "p", limit: MOST, refundable: true, ...window })],
    });

  test.each(WINDOWS)("a budget ends with its last unit: %j", async (window) => {
    const [limiter, identity] = [limiterOf(window), crypto.randomUUID()];
    const allowed: boolean[] = [];
    for (const cost of [MOST - 5, 6, 5, 1]) {
      allowed.push((await limiter.limit(identity, { cost })).allowed);
    }
    expect(allowed).toEqual([true, false, true, false]);
    const decision = await limiter.peek(identity);
    expect(decision.policies[0]!.remaining).toBe(0);
    expect(decision.headers().get("X-RateLimit-Limit")).toBe(`${MOST}`);
  });

  test.each(WINDOWS)("a hold gives back all but a unit: %j", async (window) => {
    const [limiter, identity] = [limiterOf(window), crypto.randomUUID()];
    const hold = await limiter.reserve(identity, { cost: MOST });
    expect((await hold.settle(1)).returned).toEqual({ p: MOST - 1 });
    expect((await limiter.peek(identity)).policies[0]!.remaining).toBe(MOST - 1);
  });

  test.each(WINDOWS)("nothing comes back after a debt that no number says: %j", async (window) => {
    const [limiter, identity] = [limiterOf(window), crypto.randomUUID()];
    const hold = await limiter.reserve(identity, { cost: MOST });
    await limiter.charge(identity, MOST);
    expect((await hold.settle(1)).returned).toEqual({});
    expect((await limiter.peek(identity)).allowed).toBe(false);
  });
});
