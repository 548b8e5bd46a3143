/**
 * The factor of the usual number. A file that imports this runs twice: in `npm test` with a part of its random runs, and whole in
 * `npm run test:stress`. `TEST_RUNS=10` is for a thorough check.
 */
export const FACTOR = Number(process.env["TEST_RUNS"] || 1);

/** Whether this is the whole of a test, and not a part. */
export const IS_WHOLE = FACTOR >= 1;

/** How many random runs a test makes, where this many are usual. */
export function runs(usual: number): number {
  return Math.max(1, Math.round(usual * FACTOR));
}

/** The least that all runs together have to come across, to show that they try something; 0 in a short form. */
export function least(usual: number): number {
  return IS_WHOLE ? usual : 0;
}

/** Some of the cases of a test that takes long for each: the first of them, and others as far apart as they can be. */
export function some<Case>(cases: readonly Case[]): readonly Case[] {
  const count = Math.max(1, Math.ceil(cases.length * Math.min(1, FACTOR)));
  return Array.from({ length: count }, (_, i) => cases[Math.floor((i * cases.length) / count)]!);
}
