import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname } from "node:path";

import { readJson } from "../../scripts/support/json-file.ts";
import type { Figures, Second } from "./figures/figures.ts";
import type { Phases } from "./people/phases.ts";
import type { Scenes } from "./scenes/scenes.ts";

/** The set-ups that the surge meets: no limiter, each layer of it, all of it, and the peer's limiter. */
export const SETUPS = [
  "without",
  "bucket",
  "ceiling",
  "with",
  "upstashTokenBucket",
  "upstashSlidingWindow",
] as const;
export type SetupName = (typeof SETUPS)[number];

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Before the run began: far above 0, other work shows in the figures. */
  readonly loadAverage: number;
}

/** The content of the results file of `npm run surge`. */
export interface SurgeResults extends Readonly<Record<SetupName, Figures>> {
  readonly date: string;
  readonly machine: Machine;
  readonly seed: number;
  /** Of the reference's 2,000 riders and of the matching service's 150 calls per second. */
  readonly share: number;
  readonly riders: number;
  readonly capacity: number;
  readonly phases: Phases;
  /** Each run second by second. */
  readonly seconds: Readonly<Record<SetupName, readonly Second[]>>;
  /** The results of the scenes besides the surge. */
  readonly scenes: Scenes;
}

/** The same of a run that was asked for a part. */
export interface PartOfResults
  extends
    Readonly<Partial<Record<SetupName, Figures>>>,
    Omit<SurgeResults, SetupName | "seconds" | "scenes"> {
  readonly seconds: Partial<SurgeResults["seconds"]>;
  readonly scenes: Partial<Scenes>;
}

export function machine(): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    node: process.version,
    loadAverage: loadavg()[0]!,
  };
}

export async function readResults(file: string): Promise<SurgeResults> {
  return (await readJson(file)) as SurgeResults;
}

export async function writeResults(file: string, results: PartOfResults): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}
