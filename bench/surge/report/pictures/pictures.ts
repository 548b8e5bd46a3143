import type { SurgeResults } from "../../results.ts";
import { boundaryBurstPicture } from "./boundary-burst.ts";
import { deployAmnesiaPicture } from "./deploy-amnesia.ts";
import { latencyPicture } from "./latency.ts";
import { outcomesPicture } from "./outcomes.ts";
import { queuePicture } from "./queue.ts";
import { redisLostPicture } from "./redis-lost.ts";
import { retryStormPicture } from "./retry-storm.ts";
import { ridersPicture } from "./riders.ts";

type Draw = (results: SurgeResults) => string;

/** The pictures of the surge itself, in the order to look at them; a file's name has its key. */
export const SURGE_PICTURES: Readonly<Record<string, Draw>> = {
  outcomes: outcomesPicture,
  latency: latencyPicture,
  queue: queuePicture,
  riders: ridersPicture,
};

/** Those of the scenes beside it. */
export const SCENE_PICTURES = {
  "deploy-amnesia": deployAmnesiaPicture,
  "boundary-burst": boundaryBurstPicture,
  "retry-storm": retryStormPicture,
  "redis-lost": redisLostPicture,
} satisfies Record<string, Draw>;

export type ScenePicture = keyof typeof SCENE_PICTURES;

export const PICTURES: Readonly<Record<string, Draw>> = { ...SURGE_PICTURES, ...SCENE_PICTURES };
