import fc from "fast-check";
import { test } from "vitest";

import { FACTOR, runs } from "../support/runs.ts";

/** Milliseconds for the usual number of runs: many times their duration, so that a failure has time to shrink. */
const patience = 20_000;

/** A test of one property. A failure prints its seed and the smallest input that it shrank to. */
export function fuzz<Input extends [unknown, ...unknown[]]>(
  name: string,
  usual: number,
  property: () => fc.IAsyncProperty<Input> | fc.IProperty<Input>,
): void {
  test(name, { timeout: patience * Math.max(1, FACTOR) }, async () => {
    await fc.assert(property() as fc.IAsyncProperty<Input>, { numRuns: runs(usual) });
  });
}
