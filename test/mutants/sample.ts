import { createHash } from "node:crypto";

import type { Mutant } from "./mutant.ts";

/**
 * A sample of this many mutants, drawn by a seed. Each has a rank by its change, not by its place: while the code changes, a seed
 * keeps the mutants whose text stays.
 */
export function sample(mutants: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  const seen = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const change = [seed, mutant.file, mutant.operator, mutant.was, mutant.text].join("\n");
    const nth = (seen.get(change) ?? 0) + 1;
    seen.set(change, nth);
    return { mutant, rank: createHash("sha256").update(`${change}\n${nth}`).digest("hex") };
  });
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}
