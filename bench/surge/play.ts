import type { Stage } from "../../scripts/support/progress/estimate.ts";
import type { Progress } from "../../scripts/support/progress/progress.ts";
import type { Figures, Second } from "./figures/figures.ts";
import { measure, secondsOf } from "./figures/measure.ts";
import { PHASES, SHORT_PHASES } from "./people/phases.ts";
import { RIDERS } from "./people/population.ts";
import { count } from "./report/numbers.ts";
import { machine, type PartOfResults, type SetupName, SETUPS } from "./results.ts";
import { runSurge } from "./run/run.ts";
import { SCENES, type SceneName, type Scenes, type Size } from "./scenes/scenes.ts";
import { gatewaySetup, peerSetup, type Setup } from "./setups/setup.ts";
import { SCENE_NAMES, stagesOf } from "./stages.ts";

export interface SurgeOptions {
  readonly size: Size;
  /** Names of set-ups and scenes. */
  readonly only: readonly string[];
  readonly seed: number;
  /** Of the riders and of the matching service's capacity: above 0, at most 1. */
  readonly share: number;
}

/** Calls per second that the matching service of 2,000 riders can do. */
const CAPACITY = 150;

/** Runs the set-ups and the scenes that were chosen, one after the other. */
export async function playSurge(
  { size, only, seed, share }: SurgeOptions,
  startProgress: (stages: readonly Stage[]) => Progress,
): Promise<PartOfResults> {
  const phases = size === "short" ? SHORT_PHASES : PHASES;
  const capacity = CAPACITY * share;
  const setups = setupsOf(capacity);
  const before = machine();
  const progress = startProgress(stagesOf(size, phases).filter(({ name }) => only.includes(name)));

  const figures: Partial<Record<SetupName, Figures>> = {};
  const seconds: Partial<Record<SetupName, readonly Second[]>> = {};
  for (const name of SETUPS.filter((name) => only.includes(name))) {
    progress.begin(name);
    const run = await runSurge(setups[name], {
      seed,
      phases,
      share,
      capacity,
      onProgress: ({ sent, allowed, denied, failed }, load) =>
        progress.tell(
          `${count(sent)} sent, ${count(allowed)} allowed, ${count(denied)} denied, ` +
            `${count(failed)} failed, ${count(load?.waiting ?? 0)} waiting`,
        ),
    });
    figures[name] = measure(run);
    seconds[name] = secondsOf(run);
  }

  const scenes: { -readonly [Name in SceneName]?: Scenes[Name] } = {};
  async function play<Name extends SceneName>(name: Name): Promise<void> {
    progress.begin(name);
    scenes[name] = await SCENES[name]({
      size,
      seed,
      share,
      capacity,
      tell: (line) => progress.tell(line),
    });
  }
  for (const name of SCENE_NAMES) {
    if (only.includes(name)) await play(name);
  }
  progress.end();

  return {
    date: new Date().toISOString(),
    machine: before,
    seed,
    share,
    riders: Math.round(RIDERS * share),
    capacity,
    phases,
    ...figures,
    seconds,
    scenes,
  };
}

function setupsOf(capacity: number): Record<SetupName, Setup> {
  return {
    without: gatewaySetup("without", capacity),
    bucket: gatewaySetup("bucket", capacity),
    ceiling: gatewaySetup("ceiling", capacity),
    with: gatewaySetup("with", capacity),
    upstashTokenBucket: peerSetup("token-bucket"),
    upstashSlidingWindow: peerSetup("sliding-window"),
  };
}
