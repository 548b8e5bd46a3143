import { expect, test } from "vitest";

import { estimateOf } from "../../src/metrics/estimate.ts";

/** So many partitions of which each changes by so much. */
const partitions = (groups: readonly (readonly [count: number, by: number])[]) =>
  groups.flatMap(([count, by]) => Array.from({ length: count }, () => by));

test("the worked number of docs/metrics.md is right", () => {
  const changes = partitions([
    [25, 1],
    [10, 3],
    [5, 8],
    [260, 0],
  ]);
  expect(estimateOf(changes, 64)).toEqual({
    sampled: 95,
    estimate: 6_080,
    low: 3_315,
    high: 8_845,
  });
});

test("many partitions say nothing of the others if a few of them make up nearly everything", () => {
  const changes = partitions([
    [300, 1],
    [2, 1_000],
  ]);
  expect(estimateOf(changes, 64)).toMatchObject({ sampled: 2_300, estimate: null });
});

test("changes in both directions are as uncertain as in one", () => {
  const { estimate, low, high } = estimateOf(
    partitions([
      [20, 2],
      [20, -2],
    ]),
    64,
  );
  expect([estimate, low! + high!]).toEqual([0, 0]);
  expect(high).toBeGreaterThan(1_600);
});
