import type { Part } from "./figure.ts";

export interface PartOfBench {
  readonly name: string;
  readonly measure: Part;
  /** How long it took on a machine of two cores, in full and shortened: the share of the whole run. */
  readonly seconds: readonly [full: number, short: number];
  /** Set if it only runs where it is named, because it needs a program that few machines have. */
  readonly optional?: true;
}

// Each brings programs of its own, a workerd or a peer, so that a part is loaded when its turn comes.
export const PARTS: readonly PartOfBench[] = [
  {
    name: "redis",
    measure: async (scale) => (await import("./redis/redis.ts")).redisPart(scale),
    seconds: [165, 3],
  },
  {
    name: "trips",
    measure: async (scale) => (await import("./trips/trips.ts")).tripsPart(scale),
    seconds: [50, 5],
  },
  {
    name: "lease",
    measure: async (scale) => (await import("./lease/lease.ts")).leasePart(scale),
    seconds: [30, 3],
  },
  {
    name: "edge",
    measure: async (scale) => (await import("./edge/edge.ts")).edgePart(scale),
    seconds: [50, 5],
  },
  {
    name: "workerd",
    measure: async (scale) => (await import("./workerd/workerd.ts")).workerdPart(scale),
    seconds: [342, 5],
  },
  {
    name: "gateway",
    measure: async (scale) => (await import("./gateway/gateway.ts")).gatewayPart(scale),
    seconds: [180, 6],
  },
  {
    name: "objects",
    measure: async (scale) => (await import("./objects/objects.ts")).objectsPart(scale),
    seconds: [105, 4],
  },
  {
    name: "bundle",
    measure: async (scale) => (await import("./edge/bundle.ts")).bundlePart(scale),
    seconds: [1, 1],
  },
  {
    name: "files",
    measure: async (scale) => (await import("./files/files.ts")).filesPart(scale),
    seconds: [1, 1],
  },
  {
    name: "cold",
    measure: async (scale) => (await import("./cold/cold.ts")).coldPart(scale),
    seconds: [40, 4],
  },
  {
    name: "instructions",
    measure: async (scale) =>
      (await import("./instructions/instructions.ts")).instructionsPart(scale),
    seconds: [45, 12],
    optional: true,
  },
  {
    name: "distance",
    measure: async (scale) => (await import("./distance/distance.ts")).distancePart(scale),
    seconds: [360, 15],
  },
];
