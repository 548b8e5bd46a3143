import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname } from "node:path";

/** The machine that the figures were taken on. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Above the number of cores, other work shows in the figures. */
  readonly loadAverage: number;
}

export function machine(): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    node: process.version,
    loadAverage: loadavg()[0]!,
  };
}

/** Writes results as JSON, into a folder that need not be there yet. */
export async function writeResultsFile(file: string, results: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}
