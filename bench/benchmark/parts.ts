import { coldPart } from "./cold/cold.ts";
import { distancePart } from "./distance/distance.ts";
import { bundlePart } from "./edge/bundle.ts";
import { edgePart } from "./edge/edge.ts";
import type { Part } from "./figure.ts";
import { leasePart } from "./lease/lease.ts";
import { redisPart } from "./redis/redis.ts";
import { tripsPart } from "./trips/trips.ts";
import { workerdPart } from "./workerd/workerd.ts";

export interface PartOfBench {
  readonly name: string;
  readonly measure: Part;
  /** How long it took on a machine of two cores, in full and shortened: the share of the whole run. */
  readonly seconds: readonly [full: number, short: number];
}

export const PARTS: readonly PartOfBench[] = [
  { name: "redis", measure: redisPart, seconds: [165, 3] },
  { name: "trips", measure: tripsPart, seconds: [50, 5] },
  { name: "lease", measure: leasePart, seconds: [30, 3] },
  { name: "edge", measure: edgePart, seconds: [50, 5] },
  { name: "workerd", measure: workerdPart, seconds: [342, 17] },
  { name: "bundle", measure: bundlePart, seconds: [1, 1] },
  { name: "cold", measure: coldPart, seconds: [40, 4] },
  { name: "distance", measure: distancePart, seconds: [130, 7] },
];
