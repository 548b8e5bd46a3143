import { readJson } from "../../scripts/support/json-file.ts";
import { ProgramError } from "../../scripts/support/program.ts";
import type { Machine } from "../support/results-file.ts";
import type { BoundaryBurst } from "./boundary.ts";
import type { DeployAmnesia } from "./deploys.ts";
import { type IncidentOptions, type SetupName, SETUPS } from "./incident.ts";
import type { Figures, Second } from "./measure.ts";

/** The results of the scenes beside the surge. */
export interface Scenes {
  readonly deployAmnesia: DeployAmnesia;
  readonly boundaryBurst: BoundaryBurst;
}

/** The parts of the run, in their order. */
export const PARTS = [...SETUPS, "deployAmnesia", "boundaryBurst"] as const;

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

interface RunOf extends IncidentOptions {
  readonly date: string;
  readonly machine: Machine;
  readonly riders: number;
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
