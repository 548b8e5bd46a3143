import fc from "fast-check";
import { test } from "vitest";

/** How many times the usual number of runs: `FUZZ_RUNS=100` for a soak, `0.1` for a glance. */
const factor = Number(process.env["FUZZ_RUNS"] ?? 1);

/** Milliseconds for the usual number of runs: many times what they take, so that a failure has time to shrink. */
const patience = 20_000;

/** A test of one property. A failure prints its seed and the smallest input that it shrank to. */
export function fuzz<Input extends [unknown, ...unknown[]]>(
  name: string,
  runs: number,
  property: () => fc.IAsyncProperty<Input> | fc.IProperty<Input>,
): void {
  const numRuns = Math.max(1, Math.round(runs * factor));
  test(name, { timeout: patience * Math.max(1, factor) }, async () => {
    await fc.assert(property() as fc.IAsyncProperty<Input>, { numRuns });
  });
}
