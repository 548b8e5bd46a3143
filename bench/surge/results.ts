import { readJson } from "../../scripts/support/json-file.ts";
import { ProgramError } from "../../scripts/support/program.ts";
import type { Machine } from "../support/results-file.ts";
import type { BoundaryBurst } from "./boundary.ts";
import type { DeployAmnesia } from "./deploys.ts";
import type { Figures, Second } from "./measure.ts";
import type { Phases } from "./population.ts";

/** The set-ups that the surge meets: no limiter, each layer of it, all of it. */
export const SETUPS = ["without", "bucket", "ceiling", "with"] as const;
export type SetupName = (typeof SETUPS)[number];

/** The results of the scenes beside the surge. */
export interface Scenes {
  readonly deployAmnesia: DeployAmnesia;
  readonly boundaryBurst: BoundaryBurst;
}
export const SCENES = ["deployAmnesia", "boundaryBurst"] as const satisfies (keyof Scenes)[];

/** What runs, in its order. */
export const PARTS = [...SETUPS, ...SCENES] as const;

/** The content of the results file of `npm run surge`. */
export interface SurgeResults extends RunOf, Readonly<Record<SetupName, Figures>> {
  /** Each run second by second. */
  readonly seconds: Readonly<Record<SetupName, readonly Second[]>>;
  readonly scenes: Scenes;
}

/** The same of a run that was asked for a part. */
export interface PartOfResults extends RunOf, Readonly<Partial<Record<SetupName, Figures>>> {
  readonly seconds: Partial<SurgeResults["seconds"]>;
  readonly scenes: Partial<Scenes>;
}

interface RunOf {
  readonly date: string;
  readonly machine: Machine;
  readonly seed: number;
  /** Of the incident's 2,000 riders and of the matching service's 150 calls per second. */
  readonly share: number;
  readonly riders: number;
  readonly capacity: number;
  readonly phases: Phases;
}

export function isWhole(results: PartOfResults): results is PartOfResults & SurgeResults {
  return PARTS.every((name) => name in results || name in results.scenes);
}

/** @throws ProgramError if the file has no results, or those of a part */
export async function readResults(file: string): Promise<SurgeResults> {
  const results = (await readJson(file)) as PartOfResults;
  if (isWhole(results)) return results;
  throw new ProgramError(`${file} has the results of a part: run \`npm run surge\``);
}
