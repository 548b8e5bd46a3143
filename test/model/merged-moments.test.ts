import { expect, test } from "vitest";

import { MODELS } from "../../src/algorithms/all.ts";
import { slidingWindowLog } from "../../src/index.ts";
import { compilePolicy } from "../support/compile-policy.ts";

/* Which moments a log in memory merges when it may distinguish no more: those by which units become later least. */

const { algorithm, limit, parameters } = compilePolicy(
  slidingWindowLog({ limit: 100, window: "1s" }),
);

/** The moments of a log that took one unit at each of these, and how many units count from them. */
function momentsOf(times: readonly number[], maxMoments: number): [atUs: number, units: number][] {
  let state: unknown;
  for (const nowUs of times) {
    const request = {
      nowUs,
      operation: "consume",
      cost: 1,
      limit,
      parameters,
      maxMoments,
    } as const;
    ({ state } = MODELS[algorithm]!(state, request));
  }
  const { runs } = state as { runs: readonly number[] };
  return Array.from({ length: runs.length / 3 }, (_, i) => [runs[3 * i]!, runs[3 * i + 1]!]);
}

test("as many moments as it may, and not one more", () => {
  expect(momentsOf([0, 10, 20], 3)).toEqual([
    [0, 1],
    [10, 1],
    [20, 1],
  ]);
  expect(momentsOf([0, 10, 20, 30], 3)).toHaveLength(3);
});

test("the pair that ends closest to the moment before it, though another pair is closer together", () => {
  expect(momentsOf([0, 40, 50, 85], 3)).toEqual([
    [0, 1],
    [40, 1],
    [85, 2],
  ]);
});
