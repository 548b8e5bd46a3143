import type { Part } from "./figure.ts";

export interface PartOfBench {
  readonly name: string;
  /** How long it took on a machine of two cores, in full and shortened: the share of the whole run. */
  readonly seconds: readonly [full: number, short: number];
  /** Brings programs of its own, a workerd or a peer, so that a part is loaded when its turn comes. */
  readonly load: () => Promise<Part>;
}

function part(
  name: string,
  seconds: PartOfBench["seconds"],
  load: PartOfBench["load"],
): PartOfBench {
  return { name, seconds, load };
}

export const PARTS: readonly PartOfBench[] = [
  part("redis", [165, 3], async () => (await import("./redis/redis.ts")).redisPart),
  part("trips", [50, 5], async () => (await import("./trips/trips.ts")).tripsPart),
  part("lease", [30, 3], async () => (await import("./lease/lease.ts")).leasePart),
  part("edge", [50, 5], async () => (await import("./edge/edge.ts")).edgePart),
  part("workerd", [342, 5], async () => (await import("./workerd/workerd.ts")).workerdPart),
  part("gateway", [180, 6], async () => (await import("./gateway/gateway.ts")).gatewayPart),
  part("regions", [180, 4], async () => (await import("./regions/regions.ts")).regionsPart),
  part("objects", [105, 4], async () => (await import("./objects/objects.ts")).objectsPart),
  part("bundle", [1, 1], async () => (await import("./edge/bundle.ts")).bundlePart),
  part("files", [1, 1], async () => (await import("./files/files.ts")).filesPart),
  part("distance", [360, 15], async () => (await import("./distance/distance.ts")).distancePart),
];
