import type { Stage } from "../../scripts/support/progress/estimate.ts";
import { lengthOf, type Phases } from "./people/phases.ts";
import { SETUPS } from "./results.ts";
import type { SceneName, Size } from "./scenes/scenes.ts";

/** The time to start the parts, and to wait for open requests at the end. */
const AROUND_MS = 4_000;

/** How long the scenes took on a machine of two cores. */
const SCENE_SECONDS: Record<SceneName, Record<Size, number>> = {
  denialLatency: { full: 14, short: 3 },
  deployAmnesia: { full: 30, short: 8 },
  boundaryBurst: { full: 1, short: 1 },
  retryStorm: { full: 36, short: 7 },
  redisLost: { full: 40, short: 18 },
};

export const SCENE_NAMES = Object.keys(SCENE_SECONDS) as readonly SceneName[];

/** Each set-up, and each scene, in the order in which they run. */
export function stagesOf(size: Size, phases: Phases): Stage[] {
  return [
    ...SETUPS.map((name) => ({ name, expectedMs: lengthOf(phases) + AROUND_MS })),
    ...Object.entries(SCENE_SECONDS).map(([name, seconds]) => ({
      name,
      expectedMs: 1_000 * seconds[size],
    })),
  ];
}
