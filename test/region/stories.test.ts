import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { tightenForRegion } from "../../src/policy/tighten.ts";
import { WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { excessOf } from "../support/lease/excess.ts";
import {
  fixedWindow,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { type World, world } from "./regions.ts";

/*
 * A policy's promise is checked on the requests that passed, in whatever region, at the times of the store that counted them: the
 * numbers are those that the user gave, not those that home enforces.
 */

const redis = testRedis();

const TERM = 200_000;

/** As home enforces it where regions may admit this many units on credit, all of them together. */
function inRegion(policy: Policy, credit = 0, onCredit = 0) {
  return tightenForRegion(compilePolicy(policy), { termUs: TERM, credit, reserve: onCredit });
}

function worst(policies: readonly Policy[], { admissions }: World): number {
  return Math.max(...policies.map((policy, i) => excessOf(policy, admissions[i]!)));
}

const cases: [name: string, policies: Policy[]][] = [
  ["a small bucket", [tokenBucket({ limit: 90, refill: 150, per: "1s" })]],
  ["a large bucket", [tokenBucket({ limit: 300, refill: 150, per: "1s" })]],
  ...WINDOWS.map(({ algorithm, of }): [string, Policy[]] => [algorithm, [of(100, "1s", 50)]]),
  ["a fixed window shorter than two terms", [fixedWindow({ limit: 60, window: "270ms" })]],
  [
    "several policies",
    [
      tokenBucket({ limit: 90, refill: 150, per: "1s" }),
      slidingWindowLog({ limit: 120, window: "1s" }),
      fixedWindow({ limit: 250, window: "2s" }),
    ],
  ],
];

const SPAN = 3e6;

describe.each(cases)("%s", (_name, policies) => {
  test("is never exceeded, with any regions, clocks and network", async () => {
    const seen = { nearby: 0, waited: 0, repeated: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (seed, regions, trouble) => {
          const own = policies.map((policy) => inRegion(policy));
          const options = { seed, regions, trouble, remembers: false, span: SPAN, policies: own };
          const result = await world(redis, options);
          seen.nearby += result.nearby;
          seen.waited += result.waited;
          seen.repeated += result.repeated;
          expect(worst(policies, result)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: runs(12) },
    );
    // Not for want of trying.
    expect(seen.nearby).toBeGreaterThanOrEqual(least(300));
    expect(seen.waited).toBeGreaterThanOrEqual(least(30));
    expect(seen.repeated).toBeGreaterThanOrEqual(least(30));
  });

  test("is never exceeded with credit, if home's limit is lower by what all regions may admit on it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (seed, regions, credit, trouble) => {
          const own = policies.map((policy) => inRegion(policy, credit, credit * regions));
          const options = { seed, regions, trouble, remembers: true, span: SPAN, policies: own };
          expect(worst(policies, await world(redis, options))).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: runs(8) },
    );
  });
});
