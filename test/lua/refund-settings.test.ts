import { expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { CountingAlgorithm } from "../../src/policy/policy.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { FACTS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { testRedis } from "../support/test-redis.ts";
import { keyOn } from "./key-on.ts";

/* The refund of a bucket whose setting changes, such as by a plan, and whose state still says how it was written. */

const redis = testRedis();

const bucket = (limit: number, refill: number) =>
  compilePolicy(tokenBucket({ name: "rides", limit, refill, per: "1s" }));
const free = bucket(20, 10);
const odd = bucket(20, 7);
const gold = bucket(200, 100);

/** A bucket of one key on Redis. */
function bucketOn() {
  const { key, ask, giveBack } = keyOn(redis, "token-bucket");
  return {
    state: () => redis.get(key),
    take: (policy: CompiledPolicy, cost: number, nowUs = FUTURE) =>
      ask(policy, "consume", nowUs, cost),
    charge: (policy: CompiledPolicy, cost: number) => ask(policy, "charge", FUTURE, cost),
    giveBack: (policy: CompiledPolicy, cost: number, nowUs = FUTURE) =>
      giveBack(policy, nowUs, FUTURE, cost),
    foreign: (value: string) => redis.set(key, value, "PX", 60_000),
  };
}

test.for([
  ["with a divisor of 1", free],
  ["with one of 7", odd],
] as const)("%s, all comes back at once, and the state says its rate still", async ([, policy]) => {
  const intervalUs = policy.parameters["intervalUs"]!;
  const { take, giveBack, state } = bucketOn();
  await take(policy, 12);
  const before = await state();
  const written = policy.scriptArguments.at(-1)!.split("/").slice(2).join("/");
  expect(before!.endsWith(`/${written}`)).toBe(true);
  await take(policy, 5);
  expect(await giveBack(policy, 5)).toBe(5 * intervalUs);
  expect(await state()).toBe(before);
});

test("in debt, too", async () => {
  const { charge, giveBack, state } = bucketOn();
  await charge(free, 25);
  const before = await state();
  expect(before).toMatch(/^\d{16}-\//);
  await charge(free, 5);
  expect(await giveBack(free, 5)).toBe(5 * free.parameters["intervalUs"]!);
  expect(await state()).toBe(before);
});

test("units that a larger plan has used since do not keep a hold from giving back", async () => {
  const { take, giveBack } = bucketOn();
  const [small, large] = [bucket(10, 1), bucket(100, 1)];
  await take(small, 8);
  await take(large, 60, FUTURE + 1);
  // All but the parts that have refilled in two microseconds, a millionth of a unit each.
  expect(await giveBack(small, 8, FUTURE + 2)).toBe(8 * small.parameters["intervalUs"]! - 2);
});

test("a bucket that another plan has written since refilled at the faster of both rates", async () => {
  const { take, giveBack } = bucketOn();
  await take(free, 5);
  await take(gold, 1, FUTURE + 10_000);
  // In 20 ms at 100 per second 2 units, in the interval of the smaller plan.
  expect(await giveBack(free, 5, FUTURE + 20_000)).toBe(3 * free.parameters["intervalUs"]!);
});

test("a refund is 0 once a charge was cut since, and that of a later take is not", async () => {
  const { take, charge, giveBack, state } = bucketOn();
  await take(free, 5);
  await charge(free, 60);
  expect(await state()).toMatch(/^\d{16}-!\//);
  expect(await giveBack(free, 5, FUTURE + 1)).toBe(0);
  // Out of debt, and the sign is kept.
  await take(free, 1, FUTURE + 3.8e6);
  expect(await state()).toMatch(/^\d{16}!\//);
  expect(await giveBack(free, 5, FUTURE + 3.8e6)).toBe(0);
  // The bucket has been full in between.
  await take(free, 5, FUTURE + 10e6);
  expect(await state()).toMatch(/^\d{16}\//);
});

test.for(["/1", "/x/2", " ", "/0/0/1", "/a/5/zzzz/zzzzzzzz"])(
  "a foreign end is left alone: %j",
  async (end) => {
    const { foreign, giveBack, state } = bucketOn();
    const value = `${FUTURE + 1_000_000}:0${end}`;
    await foreign(value);
    expect(await giveBack(free, 5)).toBe(0);
    expect(await state()).toBe(value);
  },
);

/** A window of one key on Redis, under plans that differ in their limits. */
function windowOn(algorithm: CountingAlgorithm) {
  const counted = keyOn(redis, algorithm);
  const planOf = (limit: number) => compilePolicy(FACTS[algorithm].of(limit, "10s"));
  return {
    ask: (operation: Operation, limit: number, cost: number, nowUs: number) =>
      counted.ask(planOf(limit), operation, nowUs, cost),
    giveBack: (limit: number, cost: number, nowUs: number) =>
      counted.giveBack(planOf(limit), nowUs, FUTURE, cost),
  };
}

const windows = [
  "fixed-window",
  "sliding-window-counter",
  "segmented-window",
  "sliding-window-log",
] as const;

test.for(windows)(
  "%s: units that a larger plan has used since do not keep a hold from giving back",
  async (algorithm) => {
    const { ask, giveBack } = windowOn(algorithm);
    await ask("consume", 10, 8, FUTURE);
    await ask("consume", 100, 60, FUTURE + 1);
    expect(await giveBack(10, 8, FUTURE + 2)).toBe(8);
    const { remaining } = await ask("peek", 100, 1, FUTURE + 3);
    expect(remaining).toBe(40);
  },
);

test.for(windows.slice(0, 3))(
  "%s: a refund is 0 once a charge was cut off, also under a plan that would have held it",
  async (algorithm) => {
    const { ask, giveBack } = windowOn(algorithm);
    await ask("consume", 10, 8, FUTURE);
    await ask("charge", 10, 50, FUTURE + 1);
    for (const limit of [10, 100]) {
      expect(await giveBack(limit, 8, FUTURE + 2)).toBe(0);
      const { remaining } = await ask("peek", limit, 1, FUTURE + 3);
      expect(remaining).toBe(Math.max(0, limit - 20));
    }
    // Nor after a take that keeps the count.
    expect(await ask("consume", 100, 5, FUTURE + 3)).toMatchObject({
      allowed: true,
      remaining: 75,
    });
    expect(await giveBack(100, 8, FUTURE + 4)).toBe(0);
    // The sign is dropped with its subject.
    await ask("consume", 10, 8, FUTURE + 40e6);
    expect(await ask("peek", 10, 1, FUTURE + 40e6)).toMatchObject({ remaining: 2 });
  },
);

test.for(windows.slice(0, 3))(
  "%s: nor once the clock has gone back behind what came after that charge",
  async (algorithm) => {
    const { ask, giveBack } = windowOn(algorithm);
    await ask("consume", 10, 8, FUTURE);
    await ask("charge", 10, 50, FUTURE + 1);
    await ask("charge", 10, 1, FUTURE + 2e6);
    await ask("consume", 10, 1, FUTURE + 2);
    expect(await giveBack(10, 8, FUTURE + 3)).toBe(0);
  },
);
