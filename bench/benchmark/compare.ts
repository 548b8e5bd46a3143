import type { Figure, Spread } from "./figure.ts";

/** One measurement of one subject. */
export type Measure<Sample> = () => Promise<Sample>;

/**
 * Measures all subjects in turn, round after round, so that other load on the machine disturbs all alike. Each round begins with
 * another subject, so that none always follows the same one.
 */
export async function interleave<Sample>(
  subjects: readonly Measure<Sample>[],
  rounds: number,
): Promise<Sample[][]> {
  const samples = subjects.map((): Sample[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const subject = (round + turn) % subjects.length;
      samples[subject]!.push(await subjects[subject]!());
    }
  }
  return samples;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return {
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    min: sorted[0]!,
    max: sorted.at(-1)!,
  };
}

/** Medians, and the ratio of each round's pair: drift that both halves of a pair share cancels out. */
export function compare(
  ours: readonly number[],
  peer: string,
  theirs: readonly number[],
): Required<Pick<Figure, "tidegate" | "peer" | "ratio">> {
  return {
    tidegate: spread(ours).median,
    peer: { name: peer, value: spread(theirs).median },
    ratio: spread(ours.map((value, i) => value / theirs[i]!)),
  };
}
