import { readJson } from "../../scripts/support/json-file.ts";
import { type Machine, machine, writeResultsFile } from "../support/results-file.ts";
import type { Figure } from "./figure.ts";

/** The measurements of one part in one run: parts of a file may stem from different runs. */
export interface PartResults extends Machine {
  readonly date: string;
  readonly figures: readonly Figure[];
}

export interface Results {
  readonly parts: Readonly<Record<string, PartResults>>;
}

export function partResults(figures: readonly Figure[]): PartResults {
  return { date: new Date().toISOString(), ...machine(), figures };
}

export async function readResults(file: string): Promise<Results> {
  return (await readJson(file)) as Results;
}

/** Writes the measured parts; the other parts of the file stay. */
export async function writeResults(file: string, parts: Results["parts"]): Promise<Results> {
  const before = await readResults(file).then(
    (results) => results.parts,
    () => ({}),
  );
  const results: Results = { parts: { ...before, ...parts } };
  await writeResultsFile(file, results);
  return results;
}
