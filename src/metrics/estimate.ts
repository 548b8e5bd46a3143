/** What a sample says of all partitions. */
export interface Estimate {
  /** In the sample. */
  readonly sampled: number;
  /** Of all partitions; `null` where the sample has too few that differ. */
  readonly estimate: number | null;
  /** Of an interval that has the truth 19 times out of 20. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Fewer partitions than this say nothing of the others, nor do more of them if a few make up nearly everything. */
export const FEWEST_PARTITIONS = 10;

/**
 * Estimates a total from the numbers of the partitions in a sample. Each partition is in it with a chance of 1 in `oneIn`,
 * whatever the others are: the total is `oneIn` times the sum y, and its variance is estimated as oneIn * (oneIn - 1) times
 * the sum of y squared (Bernoulli sampling; Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992,
 * section 3.2). The partitions count as (sum |y|)^2 / sum y^2 equal ones (Kish, 1965), and the interval is that of
 * Student's t with one degree of freedom less.
 */
export function estimateOf(values: readonly number[], oneIn: number): Estimate {
  let sampled = 0;
  let absolute = 0;
  let squares = 0;
  for (const value of values) {
    sampled += value;
    absolute += Math.abs(value);
    squares += value * value;
  }
  const equalOnes = squares === 0 ? 0 : (absolute * absolute) / squares;
  if (equalOnes < FEWEST_PARTITIONS) return { sampled, estimate: null, low: null, high: null };
  const estimate = oneIn * sampled;
  const error = studentT(equalOnes - 1) * Math.sqrt(oneIn * (oneIn - 1) * squares);
  return {
    sampled,
    estimate,
    low: Math.floor(estimate - error),
    high: Math.ceil(estimate + error),
  };
}

/** The 97.5 % point of Student's t: its expansion in 1/degrees, right to 0.001 from 9 degrees on. */
function studentT(degrees: number): number {
  const z = 1.959964;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3;
}
