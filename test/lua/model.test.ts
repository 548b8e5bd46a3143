import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MAX_UNITS } from "../../src/algorithms/algorithm.ts";
import { MODELS } from "../../src/algorithms/all.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { CountingAlgorithm, Policy } from "../../src/policy/policy.ts";
import { meaningOf } from "../model/counter.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
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
  const model = MODELS[algorithm]!;

  // Seven bytes hold less than the sum.
  test.for([
    ["of one moment", 0],
    ["with the clock an hour back before each", -3600e6],
  ] as const)("over twelve charges of the greatest cost, %s", async ([_name, gapUs]) => {
    const decide = algorithmScript(redis, algorithm);
    const key = `model:{${crypto.randomUUID()}}`;
    const compiled = everyPolicy(10, "1h").map(compilePolicy);
    const { limit: size, parameters } = compiled.find((policy) => policy.algorithm === algorithm)!;
    let state: unknown;
    for (let charge = 0; charge < 12; charge++) {
      const nowUs = FUTURE + charge * gapUs;
      const request = {
        nowUs,
        operation: "charge",
        cost: MAX_UNITS,
        limit: size,
        parameters,
      } as const;
      const { state: kept, ...expected } = model(state, request);
      state = kept;
      expect(await decide(key, request)).toEqual(expected);
    }
  });

  test("over random requests, gaps, clock steps, limit and rate changes", async () => {
    const decide = algorithmScript(redis, algorithm);
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
          const id = `model:{${crypto.randomUUID()}}`;
          // Policies count together whose units mean the same.
          const states = new Map<string, unknown>();
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
            const key = `${id}:${meaningOf(policy)}`;
            const { state: kept, ...expected } = model(states.get(key), request);
            states.set(key, kept);
            expect(await decide(key, request)).toEqual(expected);
            compared++;
          }
          for (const [key, state] of states) {
            expect(state === undefined || (await redis.pttl(key)) > 0).toBe(true);
          }
        },
      ),
      { numRuns: runs(760) },
    );
    // More than a hundred thousand over all.
    expect(compared).toBeGreaterThan(least(20_000));
  });
});
