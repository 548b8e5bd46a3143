import { expect, test } from "vitest";

import { mastersInMemory } from "../support/limiter/ledger/masters.ts";
import { type Tally, tell } from "../support/limiter/ledger/story.ts";
import { runs } from "../support/runs.ts";

test.for([1, 3] as const)("with %i masters", async (count) => {
  const tally: Tally = {};
  for (let seed = 1; seed <= runs(1_000); seed++) await tell(seed, mastersInMemory(count), tally);
  expect(tally["settle"]).toBeGreaterThan(10);
});
