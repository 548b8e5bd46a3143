import { least } from "d3-array";

import type { Attacked, BoundaryBurst } from "../scenes/boundary-burst.ts";
import type { Crowd, RetryStorm } from "../scenes/retry-storm.ts";

/** The algorithm that lets the most through at once. */
export function weakest({ algorithms }: BoundaryBurst): Attacked {
  return least(algorithms, (a, b) => b.admittedInWorstTenth - a.admittedInWorstTenth)!;
}

/** The one that admits the least in its worst window; of several, the one that takes the least memory. */
export function strictest({ algorithms }: BoundaryBurst): Attacked {
  return least(
    algorithms,
    (a, b) => a.worstWindow - b.worstWindow || a.stated.bytesPerKey - b.stated.bytesPerKey,
  )!;
}

/** The crowds that were denied at the same instant, by more and more jitter. */
export function togetherCrowds({ crowds }: RetryStorm): readonly Crowd[] {
  return crowds.filter(({ spreadMs }) => spreadMs === 0);
}
