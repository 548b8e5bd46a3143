import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MODELS, refund as refundModel } from "../../src/algorithms/all.ts";
import { slidingWindowCounter, slidingWindowLog } from "../../src/index.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { CountingAlgorithm, Policy } from "../../src/policy/policy.ts";
import { meaningOf } from "../model/counter.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS, optionsOf } from "../support/policy/options-of.ts";
import { random } from "../support/random.ts";
import { IS_WHOLE, least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { keyOn } from "./key-on.ts";
import { question, unitsOf } from "./question.ts";
import { refundScript } from "./refund-script.ts";

const redis = testRedis();

const window = fc.constantFrom("7ms", "1s", "1.000003s", "1h");
const limit = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(50, 1000));
const integer = (max: number) =>
  max < 1_000_000 ? fc.integer({ min: 1, max: Math.min(12, max) }) : fc.constantFrom(1, 3, 7, 1000);

const policiesOf = (algorithm: CountingAlgorithm) =>
  optionsOf(algorithm, { integer, duration: window }).map(
    (options) => (size: number) => fromData({ algorithm, limit: size, ...options }) as Policy,
  );

/** A value now and then. */
const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** How much time passes, as a share of the window. */
const gap = fc.oneof(
  { weight: 5, arbitrary: fc.double({ min: 0, max: 0.2, noNaN: true }) },
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(0.1, 0.5, 1, 2) },
);

const ask = fc.record({
  gap: fc.oneof(
    { weight: 12, arbitrary: gap },
    { weight: 1, arbitrary: fc.double({ min: -1.5, max: 0, noNaN: true }) },
  ),
  ...question,
  limit: rarely(limit),
});

/** A refund of something that was taken, again or for the first time, mostly as it was taken. */
const back = fc.record({
  gap,
  nudge: fc.constantFrom(-1, 0, 0, 0, 1),
  /** Which take, counted from the newest. */
  of: fc.oneof(fc.nat(2), fc.nat(15)),
  cost: fc.constantFrom("all", "all", "half", "double"),
  /** By how many microseconds the moment is wrong. */
  wrong: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1, -1000, 1000)),
});

describe.each(ALGORITHMS)("a refund of %s in Lua gives back what its model does", (algorithm) => {
  test("late, twice, of wrong moments, after clock steps and changes of the limit and the rate", async () => {
    const decide = algorithmScript(redis, algorithm);
    const refund = refundScript(redis, algorithm);
    const model = MODELS[algorithm]!;
    const policies = policiesOf(algorithm);
    const outcomes = { all: 0, part: 0, nothing: 0 };
    await fc.assert(
      fc.asyncProperty(
        policies,
        limit,
        fc.array(fc.tuple(ask, back, fc.boolean(), rarely(policies)), {
          minLength: 1,
          maxLength: 50,
          size: "max",
        }),
        async (firstPolicy, firstLimit, steps) => {
          const id = `refund:{${crypto.randomUUID()}}`;
          const takes: { readonly atUs: number; readonly units: number }[] = [];
          const states = new Map<string, unknown>();
          let now = FUTURE + 100 * 86_400e6;
          let size = firstLimit;
          let policyOf = firstPolicy;
          for (const [asked, given, refunds, another] of steps) {
            if (another) policyOf = another;
            size = asked.limit ?? size;
            const policy = compilePolicy(policyOf(size));
            const { windowUs, parameters } = policy;
            const key = `${id}:${meaningOf(policy)}`;
            const state = states.get(key);
            const step = refunds ? given : asked;
            now = Math.max(FUTURE, now + Math.round(step.gap * windowUs) + step.nudge);
            const take = takes.at(-1 - given.of);
            if (refunds && take) {
              const cost = {
                all: take.units,
                half: Math.ceil(take.units / 2),
                double: 2 * take.units,
              };
              const request = {
                nowUs: now,
                takenAtUs: take.atUs + given.wrong,
                cost: cost[given.cost as "all"],
                limit: size,
                parameters,
              };
              const expected = refundModel(algorithm, state, request);
              states.set(key, expected.state);
              expect(await refund(key, request)).toBe(expected.refunded);
              const most = request.cost * (parameters["intervalUs"] ?? 1);
              expect(expected.refunded).toBeLessThanOrEqual(most);
              outcomes[
                expected.refunded === most ? "all" : expected.refunded > 0 ? "part" : "nothing"
              ]++;
              continue;
            }
            const { operation } = asked;
            const request = {
              nowUs: now,
              operation,
              cost: unitsOf(operation, asked.cost, size),
              limit: size,
              parameters,
            };
            const { state: kept, ...expected } = model(state, request);
            if (operation !== "peek" && kept !== state)
              takes.push({ atUs: now, units: request.cost });
            states.set(key, kept);
            expect(await decide(key, request)).toEqual(expected);
          }
          for (const [key, state] of states) {
            expect(state === undefined || (await redis.pttl(key)) > 0).toBe(true);
          }
        },
      ),
      { numRuns: runs(150) },
    );
    expect(Math.min(outcomes.all, outcomes.nothing)).toBeGreaterThan(least(75));
    if (IS_WHOLE) expect(outcomes.part).toBeGreaterThan(0);
  });

  test("exactly, if no other call came since", async () => {
    const decide = algorithmScript(redis, algorithm);
    const refund = refundScript(redis, algorithm);
    let refunded = 0;
    await fc.assert(
      fc.asyncProperty(
        policiesOf(algorithm),
        limit,
        fc.array(ask, { minLength: 1, maxLength: 12, size: "max" }),
        async (policyOf, size, steps) => {
          const key = `refund:{${crypto.randomUUID()}}`;
          const { windowUs, parameters } = compilePolicy(policyOf(size));
          let now = FUTURE + 100 * 86_400e6;
          for (const { gap: share, nudge, operation, cost: part } of steps) {
            now = Math.max(FUTURE, now + Math.round(share * windowUs) + nudge);
            const cost = unitsOf(operation, part, size);
            const request = { nowUs: now, cost, limit: size, parameters };
            const peek = { ...request, operation: "peek", cost: 1 } as const;
            const before = await decide(key, peek);
            const { allowed } = await decide(key, { ...request, operation });
            if (operation !== "consume" || !allowed) continue;
            expect(await refund(key, { ...request, takenAtUs: now })).toBe(
              cost * (parameters["intervalUs"] ?? 1),
            );
            expect(await decide(key, peek)).toEqual(before);
            refunded++;
          }
        },
      ),
      { numRuns: runs(100) },
    );
    expect(refunded).toBeGreaterThan(least(100));
  });
});

test.for(everyPolicy(20, "10m"))(
  "a refund of $algorithm makes no key, and renews none",
  async (given) => {
    const policy = compilePolicy(given);
    const { keyOf, ask, giveBack } = keyOn(redis, policy.algorithm);
    const key = keyOf(policy);
    expect(await giveBack(policy, FUTURE, FUTURE, 9)).toBe(0);
    expect(await redis.exists(key)).toBe(0);
    await ask(policy, "consume", FUTURE, 9);
    // Sooner than the algorithm would have it.
    await redis.pexpire(key, 60_000);
    expect(await giveBack(policy, FUTURE, FUTURE, 4)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
    expect(await giveBack(policy, FUTURE, FUTURE, 9)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
  },
);

test.for([5, 12, 37])(
  "a log of %i whose ring has gone round often gives back from its middle",
  async (size) => {
    const { windowUs, parameters } = compilePolicy(
      slidingWindowLog({ limit: size, window: "10s" }),
    );
    const model = MODELS["sliding-window-log"]!;
    const decide = algorithmScript(redis, "sliding-window-log");
    const refund = refundScript(redis, "sliding-window-log");
    const draw = random(size);
    const key = `refund:{${crypto.randomUUID()}}`;
    const takes: number[] = [];
    let state: unknown;
    let now = FUTURE;
    let given = 0;
    for (let step = 0; step < 1_500; step++) {
      now += Math.ceil((draw() * 2 * windowUs) / size);
      const request = { nowUs: now, cost: 1, limit: size, parameters };
      const takenAtUs = takes.at(-1 - Math.floor(draw() * 5));
      if (takenAtUs !== undefined && draw() < 0.3) {
        const expected = refundModel("sliding-window-log", state, { ...request, takenAtUs });
        state = expected.state;
        expect(await refund(key, { ...request, takenAtUs })).toBe(expected.refunded);
        given += expected.refunded;
        continue;
      }
      const { state: kept, ...expected } = model(state, { ...request, operation: "consume" });
      state = kept;
      expect(await decide(key, { ...request, operation: "consume" })).toEqual(expected);
      if (expected.allowed) takes.push(now);
    }
    expect(given).toBeGreaterThan(100);
  },
);

test("a log gives back units that others have followed, and units that a charge has pushed out count all the same", async () => {
  const policy = compilePolicy(slidingWindowLog({ limit: 10, window: "10s" }));
  const { windowUs } = policy;
  const counted = keyOn(redis, "sliding-window-log");
  const ask = (operation: "consume" | "charge" | "peek", atUs: number, cost: number) =>
    counted.ask(policy, operation, FUTURE + atUs, cost);
  const giveBack = (atUs: number, takenAtUs: number) =>
    counted.giveBack(policy, FUTURE + atUs, FUTURE + takenAtUs, 2);
  await ask("consume", 0, 4);
  await ask("consume", 1, 6);
  expect(await giveBack(2, 0)).toBe(2);
  await ask("charge", 3, 4);
  // Two of twelve were pushed out, and two of twelve come back: the log is full of ten.
  expect(await giveBack(4, 1)).toBe(2);
  expect((await ask("peek", 4, 1)).remaining).toBe(0);
  // The two left with those that were taken first.
  expect((await ask("peek", windowUs + 1, 1)).remaining).toBe(6);
  expect(await giveBack(windowUs + 2, 3)).toBe(2);
});

test("a counter whose window is no whole number of milliseconds gives no units back to the window after that of the take", async () => {
  const policy = compilePolicy(slidingWindowCounter({ limit: 10, window: "1.000003s" }));
  const { windowUs } = policy;
  const { ask, giveBack } = keyOn(redis, "sliding-window-counter");
  const begin = FUTURE - (FUTURE % windowUs) + windowUs;
  for (const nowUs of [begin - 1, begin, begin + windowUs]) await ask(policy, "charge", nowUs, 3);
  expect(await giveBack(policy, begin + windowUs + 1, begin - 1, 3)).toBe(0);
});
