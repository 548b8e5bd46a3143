import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname } from "node:path";

import { readJson } from "../../scripts/support/json-file.ts";
import type { Figure } from "./figure.ts";

/** The measurements of one part in one run: parts of a file may stem from different runs. */
export interface PartResults {
  readonly date: string;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  /** It shows other load on the machine: far above 1, absolute numbers are noise. */
  readonly loadAverage: number;
  readonly figures: readonly Figure[];
}

export interface Results {
  readonly parts: Readonly<Record<string, PartResults>>;
}

export function partResults(figures: readonly Figure[]): PartResults {
  return {
    date: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    loadAverage: loadavg()[0]!,
    figures,
  };
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
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}
