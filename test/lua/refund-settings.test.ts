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

/* Refunds under plans: of a bucket, whose state says at which rate it was written, and of windows under other limits. */

const redis = testRedis();

const bucket = (limit: number, refill: number) =>
  compilePolicy(tokenBucket({ name: "rides", limit, refill, per: "1s" }));
const free = bucket(20, 10);
const odd = bucket(20, 7);
const gold = bucket(200, 100);

/** A bucket of one key on Redis. */
function bucketOn() {
  const { keyOf, ask, giveBack } = keyOn(redis, "token-bucket");
  const key = keyOf(free);
  return {
    state: () => redis.get(key),
    rate: async () => {
      const bytes = (await redis.getBuffer(key))!;
      return [bytes.readUIntBE(21, 6), bytes.readUIntBE(28, 6)];
    },
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
  const { take, giveBack, state, rate } = bucketOn();
  await take(policy, 12);
  const before = await state();
  expect(await rate()).toEqual([intervalUs, policy.parameters["divisor"]]);
  await take(policy, 5);
  expect(await giveBack(policy, 5)).toBe(5 * intervalUs);
  expect(await state()).toBe(before);
});

test("in debt, too", async () => {
  const { charge, giveBack, state } = bucketOn();
  await charge(free, 25);
  const before = await state();
  await charge(free, 5);
  expect(await giveBack(free, 5)).toBe(5 * free.parameters["intervalUs"]!);
  expect(await state()).toBe(before);
});

test("units that a larger plan has used since do not keep a hold from giving back", async () => {
  const { take, giveBack } = bucketOn();
  const [small, large] = [bucket(10, 1), bucket(100, 1)];
  await take(small, 8);
  await take(large, 11, FUTURE + 1);
  // All but the parts that have refilled in two microseconds, a millionth of a unit each.
  expect(await giveBack(small, 8, FUTURE + 2)).toBe(8 * small.parameters["intervalUs"]! - 2);
});

test("nothing comes back once another rate has counted, and all that is taken after that does", async () => {
  const { take, giveBack } = bucketOn();
  await take(free, 5);
  await take(gold, 1, FUTURE + 10_000);
  expect(await giveBack(free, 5, FUTURE + 20_000)).toBe(0);
  expect(await giveBack(gold, 1, FUTURE + 20_000)).toBe(0);
});

test("nothing comes back where a charge may have been cut off since, and later takes do", async () => {
  const { take, charge, giveBack } = bucketOn();
  await take(free, 5);
  await charge(free, 60);
  expect(await giveBack(free, 5, FUTURE + 1)).toBe(0);
  // Out of debt: what is used, and what has refilled since, could still be twice the bucket.
  await take(free, 1, FUTURE + 3.8e6);
  expect(await giveBack(free, 5, FUTURE + 3.8e6)).toBe(0);
});

test.for(["", "x", "x".repeat(14), "x".repeat(15), "\0".repeat(14)])(
  "a foreign end is left alone: %j",
  async (end) => {
    const { foreign, giveBack, state } = bucketOn();
    const value = "\0".repeat(7) + "1234567123456" + end;
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

test.for(windows)(
  "%s: a charge far beyond the limit counts in full, and takes nothing from refunds",
  async (algorithm) => {
    const { ask, giveBack } = windowOn(algorithm);
    await ask("consume", 10, 8, FUTURE);
    await ask("charge", 10, 50, FUTURE + 1);
    expect((await ask("peek", 100, 1, FUTURE + 2)).remaining).toBe(42);
    expect(await giveBack(10, 8, FUTURE + 2)).toBe(8);
    expect((await ask("peek", 100, 1, FUTURE + 3)).remaining).toBe(50);
  },
);
