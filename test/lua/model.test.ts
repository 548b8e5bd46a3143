import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import type { AlgorithmModel } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { CountingAlgorithm, Policy } from "../../src/policy/policy.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { ALGORITHMS, optionsOf } from "../support/policy/options-of.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { question, unitsOf } from "./question.ts";

const redis = testRedis();

const window = fc.constantFrom("1ms", "7ms", "1s", "10s", "1.000003s", "1h", "30d");
const limit = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(100, 1000, 50_000));

/** Large ranges by numbers that mostly share no factor with a window, small ranges by all that a test can fill. */
const integer = (max: number) =>
  max < 1_000_000
    ? fc.integer({ min: 1, max: Math.min(12, max) })
    : fc.constantFrom(1, 3, 7, 10, 1000, 999_983);

/** Policies of one algorithm; within a run limits change, and now and then everything else. */
const policiesOf = (algorithm: CountingAlgorithm) =>
  optionsOf(algorithm, { integer, duration: window }).map(
    (options) => (size: number) =>
      compilePolicy(fromData({ algorithm, limit: size, ...options }) as Policy),
  );

/** One step: the time that passes, as a share of the window, the call, and now and then another limit. */
const step = fc.record({
  gap: fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
    { weight: 2, arbitrary: fc.constantFrom(0, 0.1, 0.5, 1, 2, 3) },
    { weight: 1, arbitrary: fc.double({ min: -3, max: 0, noNaN: true }) },
  ),
  ...question,
  limit: fc.option(limit, { freq: 12, nil: undefined }),
});

/** A bucket that takes more than a year to refill is none. */
function isValid(policyOf: (size: number) => CompiledPolicy): boolean {
  try {
    policyOf(50_000);
    return true;
  } catch {
    return false;
  }
}

describe.each(ALGORITHMS)("%s in Lua says what its model says", (algorithm) => {
  test("over random requests, gaps, clock steps, limit and window changes", async () => {
    const decide = algorithmScript(redis, algorithm);
    const model = IMPLEMENTATIONS[algorithm].model as AlgorithmModel<
      Readonly<Record<string, number>>,
      unknown
    >;
    const policies = policiesOf(algorithm);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        policies,
        limit,
        fc.array(fc.tuple(step, fc.option(policies, { freq: 12, nil: undefined })), {
          minLength: 1,
          maxLength: 60,
          size: "max",
        }),
        async (firstPolicy, firstLimit, steps) => {
          const key = `model:{${crypto.randomUUID()}}`;
          let state: unknown;
          // Far enough from the earliest moment that a clock can go back by windows of a month.
          let now = FUTURE + 100 * 86_400e6;
          let size = firstLimit;
          let policyOf = firstPolicy;
          fc.pre(isValid(firstPolicy));
          for (const [{ gap, nudge, operation, cost, limit: other }, another] of steps) {
            size = other ?? size;
            if (another && isValid(another)) policyOf = another;
            const policy = policyOf(size);
            now = Math.max(FUTURE, now + Math.round(gap * policy.windowUs) + nudge);
            const request = {
              nowUs: now,
              operation,
              cost: unitsOf(operation, cost, size),
              limit: size,
              parameters: policy.parameters,
            };
            const { state: kept, ...expected } = model(state, request);
            state = kept;
            expect(await decide(key, request)).toEqual(expected);
            compared++;
          }
          expect(state === undefined || (await redis.pttl(key)) > 0).toBe(true);
        },
      ),
      { numRuns: runs(760) },
    );
    // More than a hundred thousand over all.
    expect(compared).toBeGreaterThan(least(20_000));
  });
});

/** One key in Lua and in its model, which have to say the same. */
function bothOf(algorithm: "segmented-window" | "sliding-window-counter") {
  const decide = algorithmScript(redis, algorithm);
  const model = IMPLEMENTATIONS[algorithm].model as AlgorithmModel<
    Readonly<Record<string, number>>,
    unknown
  >;
  const key = `model:{${crypto.randomUUID()}}`;
  let state: unknown;
  return {
    state: () => state,
    /** Charges the whole limit, or asks for one unit. */
    async ask(operation: "charge" | "peek" | "ask", nowUs: number, options: object) {
      const policy = compilePolicy(fromData({ algorithm, limit: 1e9, ...options }) as Policy);
      const { limit: size, parameters } = policy;
      const cost = operation === "charge" ? size : 1;
      const request = { nowUs, operation, cost, limit: size, parameters };
      const { state: kept, ...expected } = model(state, request);
      state = kept;
      expect(await decide(key, request)).toEqual(expected);
      return expected;
    },
  };
}

const [SHORT, LONG] = [{ window: "10s" }, { window: "20s" }];
const BEGIN = FUTURE - (FUTURE % 60e6) + 60e6;

test("segments that become one hold as many units as four bytes can count", async () => {
  const { ask, state } = bothOf("segmented-window");
  for (let second = 0; second < 5; second++) await ask("charge", FUTURE + second * 1e6, SHORT);
  const before = state();
  await ask("peek", FUTURE + 5e6, LONG);
  expect(state()).toBe(before);
  await ask("ask", FUTURE + 5e6, LONG);
  // All that 31 bits count, and that more was cut off.
  expect(state()).toMatchObject({ counts: [0, 2 ** 32 - 1] });
  await ask("charge", FUTURE + 6e6, LONG);
});

test("two windows that become one do, too", async () => {
  const { ask } = bothOf("sliding-window-counter");
  for (const afterUs of [0, 1, 10e6, 10e6 + 1]) await ask("charge", BEGIN + afterUs, SHORT);
  await ask("ask", BEGIN + 10e6 + 2, LONG);
  await ask("charge", BEGIN + 10e6 + 3, LONG);
  // The shorter one counts those, too.
  await ask("ask", BEGIN + 10e6 + 4, SHORT);
});

test("a count under a limit that is lower now keeps what products below 2^53 allow", async () => {
  const { ask } = bothOf("sliding-window-counter");
  const month = { window: "30d" };
  const begin = FUTURE - (FUTURE % (30 * 86_400e6)) + 30 * 86_400e6;
  for (const atUs of [begin - 1, begin]) await ask("charge", atUs, { ...month, limit: 50_000 });
  await ask("charge", begin + 1, { ...month, limit: 1 });
  await ask("peek", begin + 2, { ...month, limit: 200_000 });
});

test("a count that leaves another setting's window at this moment leaves it on the grid of the clock", async () => {
  const { ask } = bothOf("sliding-window-counter");
  await ask("charge", BEGIN, LONG);
  const { resetAfterUs } = await ask("charge", BEGIN + 35e6, { window: "15s" });
  expect(resetAfterUs).toBe(25e6);
});
