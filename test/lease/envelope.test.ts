import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { tightenPolicy } from "../../src/policy/tighten.ts";
import { WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { excessOf } from "../support/lease/excess.ts";
import {
  fixedWindow,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { IS_WHOLE, least, runs } from "../support/runs.ts";
import { type Crowd, crowd, type CrowdOptions } from "./crowd.ts";

/*
 * A policy's promise is checked on the requests that passed, for any isolate that let them pass and any moment at which Redis
 * took them: the numbers are those that the user gave, not the tightened ones.
 */

const LEASE = 100_000;

/** Resets give the whole quota back: the stories between them, each without units that may still be spent from before. */
function stories({ admissions, resets }: Crowd): Admission[][] {
  const bounds = [-Infinity, ...resets, Infinity];
  return bounds
    .slice(1)
    .map((end, i) => admissions.filter(({ time }) => time > bounds[i]! + LEASE && time <= end));
}

function worst(policies: readonly Policy[], result: Crowd): number {
  return Math.max(
    ...policies.flatMap((policy) => stories(result).map((story) => excessOf(policy, story))),
  );
}

function scenario(policies: readonly Policy[], options: Partial<CrowdOptions>): CrowdOptions {
  return {
    seed: 1,
    isolates: 5,
    lease: LEASE,
    span: 3e6,
    trouble: true,
    policies: policies.map((policy) => tightenPolicy(compilePolicy(policy), LEASE)),
    ...options,
  };
}

const cases: [name: string, policies: Policy[]][] = [
  ["a small bucket", [tokenBucket({ limit: 60, refill: 300, per: "1s" })]],
  ["a large bucket", [tokenBucket({ limit: 300, refill: 150, per: "1s" })]],
  ...WINDOWS.map(({ algorithm, of }): [string, Policy[]] => [algorithm, [of(300, "1s", 50)]]),
  ["a fixed window shorter than two leases", [fixedWindow({ limit: 60, window: "170ms" })]],
  [
    "several policies",
    [
      tokenBucket({ limit: 100, refill: 500, per: "1s" }),
      slidingWindowLog({ limit: 400, window: "1s" }),
      fixedWindow({ limit: 700, window: "2s" }),
    ],
  ],
];

describe.each(cases)("%s", (_name, policies) => {
  test("is never exceeded, with any isolates, clocks and network", async () => {
    let local = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        async (seed, isolates, trouble) => {
          const result = await crowd(scenario(policies, { seed, isolates, trouble }));
          local += result.local;
          expect(worst(policies, result)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: runs(15) },
    );
    // Not for want of trying. A story of one isolate in trouble leaves few of them.
    expect(local).toBeGreaterThan(least(runs(15) * 30));
  });
});

/** The most by which the promise is broken over many seeds, with a mistake planted. */
async function found(policies: readonly Policy[], mistake: Partial<CrowdOptions>): Promise<number> {
  let most = -Infinity;
  for (let seed = 1; seed <= 200 && most <= 0; seed++) {
    const result = await crowd(scenario(policies, { seed, isolates: 8, ...mistake }));
    most = Math.max(most, worst(policies, result));
  }
  return most;
}

// What they look at is the stories, of which a short form tells too few.
describe.runIf(IS_WHOLE)("a mistake is found", () => {
  // A fixed window is not tightened, the counter promises little, and draining a large bucket takes more luck.
  const strict = cases.filter(([name]) => !/fixed|counter|large/.test(name));

  test.for(strict)("%s that was not tightened", async ([, policies]) => {
    const untightened = policies.map((policy) => compilePolicy(policy));
    expect(await found(policies, { policies: untightened })).toBeGreaterThan(0);
  });

  // The others take more luck: demand must come back within the time that the step made longer.
  test("a segmented window, held by a clock that is believed though it steps back", async () => {
    const [, policies] = cases.find(([name]) => name === "segmented-window")!;
    const mistake = { steady: (read: () => number) => read, isolates: 2 };
    expect(await found(policies, mistake)).toBeGreaterThan(0);
  }, 120_000);

  test.for(strict)("%s, spent for longer than it was tightened for", async ([, policies]) => {
    expect(await found(policies, { lease: 3 * LEASE })).toBeGreaterThan(0);
  });
});
