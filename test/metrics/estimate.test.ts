import { expect, test } from "vitest";

import { estimateOf, shareOf } from "../../src/metrics/estimate.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

/** Partitions in groups: their number, and the change of each. */
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

test.each([
  // The intervals that tables of Clopper and Pearson have.
  { affected: 0, sampled: 5, low: 0, high: 0.522 },
  { affected: 1, sampled: 1, low: 0.025, high: 1 },
  { affected: 2, sampled: 4, low: 0.067, high: 0.933 },
  { affected: 3, sampled: 9, low: 0.074, high: 0.701 },
])("$affected of $sampled clients are $low to $high of all", ({ affected, sampled, low, high }) => {
  expect(shareOf(affected, sampled)).toEqual({ low, high });
});

test("no client in the sample says nothing of the others", () => {
  expect(shareOf(0, 0)).toBeNull();
});

test("of an API with few clients, the interval has the true share 19 times out of 20", () => {
  const next = random(7);
  const tallies = new Map<number, { said: number; right: number }>();
  for (const clients of [20, 100, 400]) {
    for (const share of [0, 0.05, 0.2, 0.5, 0.9, 1]) {
      const affected = Math.round(share * clients);
      const tally = { said: 0, right: 0 };
      for (let run = 0; run < runs(4_000); run++) {
        let [sampled, changed] = [0, 0];
        for (let client = 0; client < clients; client++) {
          if (next() >= 1 / 64) continue;
          sampled++;
          if (client < affected) changed++;
        }
        const interval = shareOf(changed, sampled);
        if (!interval || sampled > 9) continue;
        tally.said++;
        const truth = affected / clients;
        if (interval.low <= truth && truth <= interval.high) tally.right++;
      }
      expect(tally.said).toBeGreaterThan(runs(500));
      expect(tally.right / tally.said, `${affected} of ${clients}`).toBeGreaterThanOrEqual(0.95);
      tallies.set(clients * 10 + share, tally);
    }
  }
  // It says something: not each of them is right.
  expect([...tallies.values()].some(({ said, right }) => right < said)).toBe(true);
});
