import { expect, test } from "vitest";

import { boundaryBurst } from "../../bench/surge/boundary.ts";
import { readResults } from "../../bench/surge/results.ts";

test("at a boundary, each algorithm admits the promised number in the worst window, as the figures say", async () => {
  const burst = await boundaryBurst();
  const { limit, algorithms } = burst;
  // Only the fixed window lets twice the limit through at once.
  expect(algorithms.map((attacked) => Object.values(attacked))).toEqual([
    ["fixed-window", 2 * limit, 2 * limit],
    ["sliding-window-counter", 2 * limit - 1, 109],
    // A millisecond more, and the refill of a whole window is there.
    ["token-bucket", 2 * limit - 1, 109],
    ["segmented-window", limit, limit],
    ["sliding-window-log", limit, limit],
  ]);
  expect((await readResults("bench/surge.json")).scenes.boundaryBurst).toEqual(burst);
});
