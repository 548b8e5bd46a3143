import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { factsOf } from "../support/algorithms/all.ts";
import { excessOf } from "../support/lease/excess.ts";
import {
  fixedWindow,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { least, runs } from "../support/runs.ts";
import { type Crowd, crowd, type CrowdOptions } from "./crowd.ts";

/*
 * Automatic leases beside optimistic decisions: the admitted units are held against the policies as they were written, for all
 * isolates. An excess of u is promised for each isolate, and for each call or isolate that was lost.
 */

type Ahead = Pick<Policy, "optimistic">;

const cases: [name: string, make: (options: Ahead) => Policy[]][] = [
  ["a bucket", (own) => [tokenBucket({ name: "p", limit: 400, refill: 60, per: "1s", ...own })]],
  ["a log", (own) => [slidingWindowLog({ name: "p", limit: 600, window: "4s", ...own })]],
  [
    "a segmented window",
    (own) => [segmentedWindow({ name: "p", limit: 600, window: "4s", segments: 20, ...own })],
  ],
  ["a counter", (own) => [slidingWindowCounter({ name: "p", limit: 600, window: "4s", ...own })]],
  ["a fixed window", (own) => [fixedWindow({ name: "p", limit: 600, window: "4s", ...own })]],
  [
    "two policies",
    (own) => [
      tokenBucket({ name: "p", limit: 200, refill: 300, per: "1s", ...own }),
      slidingWindowLog({ name: "q", limit: 900, window: "4s", ...own }),
    ],
  ],
];

/** The excess of the units admitted between two resets over a policy's promise and its allowance. */
function beyond(policies: readonly Policy[], unsettled: number, result: Crowd): number {
  const { admissions, resets, hopeful, losses } = result;
  const bounds = [-Infinity, ...resets, Infinity];
  return Math.max(
    ...policies.flatMap((policy) =>
      bounds.slice(1).map((end, i) => {
        // Units that isolates held at a reset are spent within a lease.
        const start = bounds[i]! + 1e6;
        const story = admissions.filter(({ time }) => time > start && time <= end);
        const times = factsOf(policy.algorithm).promise === "weighted" ? 2 : 1;
        return excessOf(policy, story) - times * unsettled * (hopeful + losses);
      }),
    ),
  );
}

function scene([policy, ...others]: readonly Policy[], options: Partial<CrowdOptions>) {
  return crowd({
    seed: 1,
    isolates: 6,
    policy: policy!,
    others,
    lease: "auto",
    wayUs: 6_000,
    span: 8e6,
    trouble: false,
    ...options,
  });
}

describe.each(cases)("%s", (_name, make) => {
  test("is exceeded by u for each isolate at most, also with leases in between", async () => {
    let [ahead, held] = [0, 0];
    const numbers = fc.record({
      seed: fc.nat(),
      isolates: fc.integer({ min: 1, max: 10 }),
      unsettled: fc.integer({ min: 1, max: 5 }),
      above: fc.constantFrom(0, 0.2, 0.5),
      trouble: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(numbers, async ({ unsettled, above, ...others }) => {
        const policies = make({ optimistic: { unsettled, above } });
        const result = await scene(policies, others);
        expect(beyond(policies, unsettled, result)).toBeLessThanOrEqual(0);
        ahead += result.ahead;
        held += result.held;
      }),
      { numRuns: runs(25) },
    );
    // Not for want of trying.
    expect(ahead).toBeGreaterThan(least(runs(25) * 10));
    expect(held).toBeGreaterThan(least(runs(25) * 10));
  });
});

test("without optimism, leases that start by themselves exceed nothing", async () => {
  let held = 0;
  for (const [, make] of cases) {
    const policies = make({});
    for (let seed = 1; seed <= runs(6); seed++) {
      const result = await scene(policies, { seed, trouble: seed % 2 === 0 });
      expect(beyond(policies, 0, result)).toBeLessThanOrEqual(0);
      held += result.held;
    }
  }
  expect(held).toBeGreaterThan(least(runs(6) * 50));
});
