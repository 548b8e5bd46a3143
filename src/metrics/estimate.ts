/** A sample's estimate about all partitions. */
export interface Estimate {
  /** In the sample. */
  readonly sampled: number;
  /** Of all partitions; `null` where the sample has too few that differ. */
  readonly estimate: number | null;
  /** Of an interval that has the truth 19 times out of 20. */
  readonly low: number | null;
  readonly high: number | null;
}

/** The bounds of a share, 0 to 1, that have the truth 19 times out of 20. */
export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** Fewer partitions than this are no sample of the others, and more of them are none if a few make up nearly everything. */
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

/** On either side of the interval. */
const MISSED = 0.025;
/** Bounds are rounded outwards, except for the error of the search. */
const SLACK = 1e-6;

/**
 * The share of all partitions that a few sampled ones stand for. Each partition is in the sample with the same chance, so
 * that this holds for any number of them and any traffic (Clopper and Pearson, 1934). It says nothing of the number of
 * their requests, of which a single one may have nearly all. `null` without a partition.
 *
 * @param sampled tens at most: among thousands, the chance of none is no number any more
 */
export function shareOf(affected: number, sampled: number): ShareInterval | null {
  if (sampled === 0) return null;
  const most = (some: number) => Math.ceil(1000 * mostOf(some, sampled) - SLACK);
  return { low: (1000 - most(sampled - affected)) / 1000, high: most(affected) / 1000 };
}

/** The largest share of which so few in the sample are not too unlikely. */
function mostOf(some: number, sampled: number): number {
  let [low, high] = [0, 1];
  while (high - low > SLACK / 1e4) {
    const share = (low + high) / 2;
    let chance = (1 - share) ** sampled;
    let sum = 0;
    for (let drawn = 0; drawn <= some; drawn++) {
      sum += chance;
      chance *= ((sampled - drawn) / (drawn + 1)) * (share / (1 - share));
    }
    if (sum > MISSED) low = share;
    else high = share;
  }
  return high;
}
