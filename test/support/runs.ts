/** How many times the usual number: `TEST_RUNS=10 npm test` for a thorough check, `0.1` for a glance. */
export const FACTOR = Number(process.env["TEST_RUNS"] ?? 1);

/** How many random runs a test makes, where this many are usual. */
export function runs(usual: number): number {
  return Math.max(1, Math.round(usual * FACTOR));
}
