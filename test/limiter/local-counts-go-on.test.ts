import { describe, expect, test } from "vitest";

import { limiterOver } from "../support/limiter/limiter-over.ts";
import {
  fixedWindow,
  type LimiterOptions,
  type Policy,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";
import { BOTH, limiterOnTwoMasters, ONE, OTHER } from "./two-masters.ts";

/* The start of an isolate's count without Redis: the last answer, dated by its own clock, of each of several groups. */

const HOUR_US = 3_600_000_000;

function limiterOf(
  policies: readonly Policy[],
  redisAheadUs = 0,
  plans: LimiterOptions["plans"] = {},
) {
  const { store, world } = watchedStore();
  const options = { policies, plans };
  store.now = () => world.nowUs - redisAheadUs;
  return { limiter: limiterOver(store, options, { random: () => 0 }), world };
}

const bucket = tokenBucket({ name: "b", limit: 10, refill: 1, per: "1m" });

test.for([-HOUR_US, HOUR_US])(
  "an answer of a Redis whose clock is %i us ahead counts from its arrival here",
  async (aheadUs) => {
    const { limiter, world } = limiterOf([bucket], aheadUs);
    await limiter.limit("ada", { cost: 7 });
    world.failure = NO_ANSWER;
    const { policies } = await limiter.limit("ada");
    expect(policies[0]!.remaining).toBe(2);
  },
);

test("after a step back of the clock, an answer counts as one of this moment", async () => {
  const { limiter, world } = limiterOf([bucket]);
  await limiter.limit("ada", { cost: 7 });
  world.failure = NO_ANSWER;
  world.nowUs -= HOUR_US;
  const { policies } = await limiter.limit("ada");
  expect(policies[0]!.remaining).toBe(2);
});

test("a shard carries its part of the units counted here before Redis answered again", async () => {
  const split = fixedWindow({ name: "w", limit: 10, window: "1d", shards: 2 });
  const { limiter, world } = limiterOf([split]);
  world.failure = NO_ANSWER;
  for (let request = 0; request < 4; request++) await limiter.limit("ada");
  world.failure = undefined;
  await limiter.limit("ada");
  world.failure = NO_ANSWER;
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
  world.failure = NO_ANSWER;
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
  world.failure = NO_ANSWER;
  const { policies } = await limiter.limit(ada);
  expect(policies.map(({ remaining }) => remaining)).toEqual([9, 9]);
});

describe.each([1, 2])("a client whose plan changes, with %i shards", (shards) => {
  const split = shards > 1 && { shards };
  const free = fixedWindow({ name: "w", limit: 4, window: "1d", ...split });
  const underPlans = () => limiterOf([free], 0, { pro: { w: { limit: 10 } } });

  test.for([
    ["pro", 8 / shards, "free", 0],
    ["free", 4 / shards, "pro", 6 / shards],
  ] as const)(
    "from %s, with %i units used, to %s has %i units left here",
    async ([before, cost, plan, left]) => {
      const { limiter, world } = underPlans();
      const under = (name: string) => name === "pro" && { plan: name };
      await limiter.limit("ada", { cost, ...under(before) });
      world.failure = NO_ANSWER;
      const { policies } = await limiter.peek("ada", { ...under(plan) });
      expect(policies[0]!.remaining).toBe(left);
    },
  );

  test("has its whole limit here after a reset", async () => {
    const { limiter, world } = underPlans();
    await limiter.limit("ada", { cost: 10 / shards, plan: "pro" });
    await limiter.reset("ada");
    world.failure = NO_ANSWER;
    const { policies } = await limiter.peek("ada", { plan: "pro" });
    expect(policies[0]!.remaining).toBe(10);
  });
});

describe("where one of two masters is silent", () => {
  test("a soft policy without room at the other keeps nothing from being counted here", async () => {
    const { limiter, fates } = limiterOnTwoMasters([
      fixedWindow({ name: "soft", by: "one", limit: 1, window: "1d", mode: "soft" }),
      fixedWindow({ name: "hard", by: "other", limit: 5, window: "1d" }),
    ]);
    await limiter.limit(BOTH);
    fates.set(OTHER, "lost");
    const left = [];
    for (let request = 0; request < 5; request++) {
      const { allowed, policies: rows } = await limiter.limit(BOTH);
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

  test.for([
    ["are allowed", 1, 2],
    ["are denied", 3, 3],
  ] as const)(
    "answers of the other one are gone on from once that is silent, too, whether requests %s",
    async ([, cost, left]) => {
      const { limiter, fates } = limiterOnTwoMasters([
        fixedWindow({ name: "one", by: "one", limit: 5, window: "1d" }),
        fixedWindow({ name: "other", by: "other", limit: 3, window: "1d" }),
      ]);
      await limiter.limit(BOTH);
      fates.set(OTHER, "lost");
      await limiter.limit(BOTH);
      await limiter.limit(BOTH, { cost });
      fates.set(ONE, "lost");
      const { policies: rows } = await limiter.peek(BOTH);
      expect(rows[0]!.remaining).toBe(left);
    },
  );
});
