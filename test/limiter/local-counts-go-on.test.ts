import { describe, expect, test } from "vitest";

import { type ErrorCode, StoreError } from "../../src/errors/errors.ts";
import { fixedWindow, type Policy, tokenBucket } from "../../src/index.ts";
import { EVERY_FEATURE } from "../../src/limiter/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { type Fate, twoMasters } from "./two-masters.ts";

/* The start of an isolate's count without Redis: the last answer, dated by its own clock, of each of several groups. */

const START_US = Date.UTC(2030, 0, 1) * 1000;
const HOUR_US = 3_600_000_000;

function limiterOf(policies: readonly Policy[], redisAheadUs = 0) {
  const world = { nowUs: START_US, failure: undefined as ErrorCode | undefined };
  const counts = memoryStore({ now: () => world.nowUs + redisAheadUs });
  const store: Store = {
    ...counts,
    now: () => world.nowUs,
    decide(...asked) {
      if (world.failure) throw new StoreError(world.failure, "It failed.");
      return counts.decide(...asked);
    },
  };
  const settings = { ...DEFAULTS, policies: compile(policies), now: () => 1_000, random: () => 0 };
  return { limiter: buildLimiter(store, settings, EVERY_FEATURE), world };
}

const bucket = tokenBucket({ name: "b", limit: 10, refill: 1, per: "1m" });

test.for([-HOUR_US, HOUR_US])(
  "an answer of a Redis whose clock is %i us ahead counts from its arrival here",
  async (aheadUs) => {
    const { limiter, world } = limiterOf([bucket], aheadUs);
    await limiter.limit("ada", { cost: 7 });
    world.failure = "ERR_STORE_TIMEOUT";
    const { policies } = await limiter.limit("ada");
    expect(policies[0]!.remaining).toBe(2);
  },
);

test("after a step back of the clock, an answer counts as one of this moment", async () => {
  const { limiter, world } = limiterOf([bucket]);
  await limiter.limit("ada", { cost: 7 });
  world.failure = "ERR_STORE_TIMEOUT";
  world.nowUs -= HOUR_US;
  const { policies } = await limiter.limit("ada");
  expect(policies[0]!.remaining).toBe(2);
});

test("a shard carries its part of the units counted here before Redis answered again", async () => {
  const split = fixedWindow({ name: "w", limit: 10, window: "1d", shards: 2 });
  const { limiter, world } = limiterOf([split]);
  world.failure = "ERR_STORE_TIMEOUT";
  for (let request = 0; request < 4; request++) await limiter.limit("ada");
  world.failure = undefined;
  await limiter.limit("ada");
  world.failure = "ERR_STORE_TIMEOUT";
  // Of the shard's 5: one in Redis, two of the four that were counted here, and this one.
  const { allowed, policies } = await limiter.limit("ada");
  expect([allowed, policies[0]!.remaining]).toEqual([true, 1]);
});

test("a policy is whole again when both of its counts are", async () => {
  const split = fixedWindow({
    name: "w",
    limit: 10,
    window: "1d",
    onFailure: { local: { share: 0.5 } },
  });
  const { limiter, world } = limiterOf([split]);
  await limiter.limit("ada", { cost: 2 });
  world.failure = "ERR_STORE_TIMEOUT";
  const { policies } = await limiter.peek("ada");
  expect(policies).toMatchObject([{ remaining: 5, resetAfterMs: 86_400_000 }]);
  const { policies: after } = await limiter.limit("ada");
  expect(after).toMatchObject([{ remaining: 4, resetAfterMs: 86_400_000 }]);
});

test("a reset forgets the last answer of each dimension", async () => {
  const { limiter, world } = limiterOf([
    fixedWindow({ name: "ip", by: "ip", limit: 10, window: "1d" }),
    fixedWindow({ name: "key", by: "key", limit: 10, window: "1d" }),
  ]);
  const ada = { ip: "192.0.2.1", key: "k" };
  await limiter.limit(ada, { cost: 5 });
  await limiter.reset(ada);
  world.failure = "ERR_STORE_TIMEOUT";
  const { policies } = await limiter.limit(ada);
  expect(policies.map(({ remaining }) => remaining)).toEqual([9, 9]);
});

describe("where one of two masters is silent", () => {
  const ONE = "a";
  const OTHER = ["b", "c", "d", "e"].find(
    (name) => hashSlot(`tg:{${name}}:x`) % 2 !== hashSlot(`tg:{${ONE}}:x`) % 2,
  )!;

  test("a soft policy without room at the other keeps nothing from being counted here", async () => {
    const fates = new Map<string, Fate>();
    const masters = twoMasters(
      () => START_US,
      (key) => fates.get(key.slice(key.indexOf("{") + 1, key.indexOf("}"))) ?? "answered",
    );
    const policies = compile([
      fixedWindow({ name: "soft", by: "one", limit: 1, window: "1d", mode: "soft" }),
      fixedWindow({ name: "hard", by: "other", limit: 5, window: "1d" }),
    ]);
    const settings = { ...DEFAULTS, policies, now: () => 1_000 };
    const limiter = buildLimiter(splitStore(masters.store), settings, EVERY_FEATURE);
    const both = { one: ONE, other: OTHER };
    await limiter.limit(both);
    fates.set(OTHER, "lost");
    const left = [];
    for (let request = 0; request < 5; request++) {
      const { allowed, policies: rows } = await limiter.limit(both);
      left.push([allowed, rows[1]!.remaining]);
    }
    expect(left).toEqual([
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
  });
});
