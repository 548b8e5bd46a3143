import type { Stage } from "../../scripts/support/progress/estimate.ts";
import type { Progress } from "../../scripts/support/progress/progress.ts";
import { machine } from "../support/results-file.ts";
import { boundaryBurst } from "./boundary.ts";
import { deployAmnesia, type DeployOptions } from "./deploys.ts";
import { layersOf } from "./layers.ts";
import { type Figures, measure, type Second, secondsOf } from "./measure.ts";
import { type Phases, RIDERS } from "./population.ts";
import { type PartOfResults, type Scenes, type SetupName, SETUPS } from "./results.ts";
import { runSurge } from "./run.ts";

export interface SurgeOptions {
  /** As long as the figures need, or as it takes to see that all of it runs. */
  readonly size: "full" | "short";
  /** Names of set-ups and scenes. */
  readonly only: readonly string[];
  readonly seed: number;
  /** Of the riders and of the matching service's capacity: above 0, at most 1. */
  readonly share: number;
}

/** Calls per second that the matching service of 2,000 riders can do. */
const CAPACITY = 150;
/** Long enough for waits of 30 s to show in the surge, and for a queue to drain after it. */
const PHASES: Phases = { quietMs: 6_000, surgeMs: 40_000, afterMs: 8_000 };
const DEPLOYS: DeployOptions = {
  deploys: 8,
  everyMs: 2_500,
  requestsPerSecond: 100,
  limit: 50,
  windowMs: 10_000,
};
const SIZES = {
  full: { phases: PHASES, deploying: DEPLOYS, runMs: 58_000, deployingMs: 30_000 },
  short: {
    phases: { quietMs: 1_000, surgeMs: 3_000, afterMs: 1_000 },
    deploying: { ...DEPLOYS, deploys: 2, everyMs: 1_500, requestsPerSecond: 50, limit: 20 },
    runMs: 9_000,
    deployingMs: 8_000,
  },
};

/** Runs the set-ups and the scenes that were chosen, one after the other. */
export async function playSurge(
  { size, only, seed, share }: SurgeOptions,
  startProgress: (stages: readonly Stage[]) => Progress,
): Promise<PartOfResults> {
  const { phases, deploying, runMs, deployingMs } = SIZES[size];
  const capacity = CAPACITY * share;
  const run = { seed, share, riders: Math.round(RIDERS * share), capacity, phases };
  const before = { date: new Date().toISOString(), machine: machine() };

  const figures: Partial<Record<SetupName, Figures>> = {};
  const seconds: Partial<Record<SetupName, readonly Second[]>> = {};
  const scenes: { -readonly [Name in keyof Scenes]?: Scenes[Name] } = {};
  async function play(name: SetupName): Promise<void> {
    const played = await runSurge(layersOf(capacity)[name], run);
    figures[name] = measure(played);
    seconds[name] = secondsOf(played);
  }

  const stages = [
    ...SETUPS.map((name) => ({ name, expectedMs: runMs, play: () => play(name) })),
    {
      name: "deployAmnesia",
      expectedMs: deployingMs,
      play: async () => void (scenes.deployAmnesia = await deployAmnesia(deploying)),
    },
    {
      name: "boundaryBurst",
      expectedMs: 1_000,
      play: async () => void (scenes.boundaryBurst = await boundaryBurst()),
    },
  ].filter(({ name }) => only.includes(name));
  const progress = startProgress(stages);
  for (const stage of stages) {
    progress.begin(stage.name);
    await stage.play();
  }
  progress.end();
  return { ...before, ...run, ...figures, seconds, scenes };
}
