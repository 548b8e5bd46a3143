import { expect, test } from "vitest";

import { snapshotOf } from "../../src/metrics/snapshot.ts";
import { statsOf } from "../../src/metrics/stats.ts";

test("what regions did stands side by side, without the counts that are 0 throughout", () => {
  const spans = [
    new Map([
      ["ha", 8],
      ["hb", 5],
    ]),
    new Map([["hb", 2]]),
  ].map(snapshotOf);
  expect(statsOf([0, 60_000], spans).region).toEqual([
    { what: "waits", counts: [8, 0] },
    { what: "homeCalls", counts: [5, 2] },
  ]);
});
