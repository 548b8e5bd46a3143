import type { SurgeResults } from "../results.ts";
import type { SceneName } from "../scenes/scenes.ts";

const TOLD: readonly SceneName[] = [
  "denialLatency",
  "deployAmnesia",
  "boundaryBurst",
  "retryStorm",
  "redisLost",
];

/**
 * Results of a part of a run, or of a version that had no scenes, are no report.
 *
 * @throws Error naming the scenes that are not there
 */
export function requireScenes({ scenes }: Partial<Pick<SurgeResults, "scenes">>): void {
  const missing = TOLD.filter((name) => !Object.hasOwn(scenes ?? {}, name));
  if (missing.length === 0) return;
  throw new Error(`the results of the surge lack ${missing.join(", ")}: run \`npm run surge\``);
}
