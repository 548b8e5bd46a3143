import { startProgress } from "../../scripts/support/progress.ts";
import { machine } from "../support/results-file.ts";
import { boundaryBurst } from "./boundary.ts";
import { deployAmnesia } from "./deploys.ts";
import { runIncident, type SetupName } from "./incident.ts";
import { type Figures, measure, secondsOf } from "./measure.ts";
import { RIDERS } from "./population.ts";
import { type PartOfResults, PARTS } from "./results.ts";

export interface SurgeOptions {
  /** Whether it takes only as long as it takes to see that all of it runs. */
  readonly short?: boolean;
  /** Names of set-ups and scenes. */
  readonly only: readonly string[];
  readonly seed: number;
  /** The part of the riders and of the matching service's capacity: above 0, at most 1. */
  readonly share: number;
}

/** Calls per second that the matching service of 2,000 riders can do. */
const CAPACITY = 150;
const WINDOW_MS = 10_000;
const FULL = {
  /** Long enough for waits of 30 s to show in the surge, and for a queue to drain after it. */
  phases: { quietMs: 6_000, surgeMs: 40_000, afterMs: 8_000 },
  deploying: { deploys: 8, everyMs: 2_500, requestsPerSecond: 100, limit: 50, windowMs: WINDOW_MS },
  takesMs: { setup: 58_000, deployAmnesia: 30_000, boundaryBurst: 1_000 },
};
const SHORT: typeof FULL = {
  phases: { quietMs: 1_000, surgeMs: 3_000, afterMs: 1_000 },
  deploying: { deploys: 2, everyMs: 1_500, requestsPerSecond: 50, limit: 20, windowMs: WINDOW_MS },
  takesMs: { setup: 9_000, deployAmnesia: 8_000, boundaryBurst: 1_000 },
};

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Runs the set-ups and the scenes that were chosen, one after the other. */
export async function playSurge({
  short,
  only,
  seed,
  share,
}: SurgeOptions): Promise<PartOfResults> {
  const { phases, deploying, takesMs } = short ? SHORT : FULL;
  const riders = Math.round(RIDERS * share);
  const run = { seed, share, riders, capacity: CAPACITY * share, phases };
  const before = { date: new Date().toISOString(), machine: machine() };

  const seconds: Writable<PartOfResults["seconds"]> = {};
  const figures: Partial<Record<SetupName, Figures>> = {};
  const scenes: Writable<PartOfResults["scenes"]> = {};
  const chosen = PARTS.filter((name) => only.includes(name));
  const expectedMs: Partial<Record<string, number>> = takesMs;
  const progress = startProgress(
    chosen.map((name) => ({ name, expectedMs: expectedMs[name] ?? takesMs.setup })),
  );
  for (const name of chosen) {
    progress.begin(name);
    if (name === "deployAmnesia") scenes[name] = await deployAmnesia(deploying);
    else if (name === "boundaryBurst") scenes[name] = await boundaryBurst();
    else {
      const played = await runIncident(name, run);
      figures[name] = measure(played);
      seconds[name] = secondsOf(played);
    }
  }
  progress.end();
  return { ...before, ...run, ...figures, seconds, scenes };
}
