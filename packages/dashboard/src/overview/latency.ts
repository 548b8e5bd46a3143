import type { Stats } from "../api/answers.ts";
import { sum } from "../parts/format.ts";
import type { Series } from "../parts/series.ts";

/** How long the store took for this share of the answers at most, in milliseconds, within the buckets' precision. */
export function quantile(durations: Stats["durations"], share: number, i: number): number | null {
  const total = sum(durations.map(({ counts }) => counts[i] ?? 0));
  if (total === 0) return null;
  let before = 0;
  let lower = 0;
  for (const { le, counts } of durations) {
    const here = counts[i] ?? 0;
    if (le === null) return lower;
    const upper = le * 1000;
    if (here > 0 && before + here >= share * total) {
      return lower + ((share * total - before) / here) * (upper - lower);
    }
    before += here;
    lower = upper;
  }
  return lower;
}

/** The same over all moments together. */
export function overall(durations: Stats["durations"], share: number): number | null {
  const together = durations.map(({ le, counts }) => ({ le, counts: [sum(counts)] }));
  return quantile(together, share, 0);
}

/** The shares of answers that the picture of latency has a line for. */
export const SHARES = [0.5, 0.99];

export function latency({ durations, times }: Stats): Series[] {
  return SHARES.map((share, line) => ({
    label: `${share * 100} of 100 answers within`,
    colour: `--series-${line + 1}`,
    values: times.map((_, i) => quantile(durations, share, i)),
  }));
}
