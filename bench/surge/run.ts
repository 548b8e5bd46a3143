import type { Drive, Driven } from "./driver.ts";
import type { Layers } from "./layers.ts";
import type { Run } from "./measure.ts";
import { onParts, startChild } from "./parts.ts";
import { type Phases, population } from "./population.ts";

export interface RunOptions {
  readonly seed: number;
  readonly phases: Phases;
  /** Of the incident's riders. */
  readonly share: number;
  /** Of the matching service, in calls per second. */
  readonly capacity: number;
}

/** Calls that the matching service of all riders does at once. */
const WORKERS = 16;

/** Sends the people through the gateway to the API, all on real parts, and resolves with all that happened. */
export function runSurge({ rules, promises }: Layers, options: RunOptions): Promise<Run> {
  const { seed, phases, share, capacity } = options;
  const service = { capacity, workers: Math.ceil(WORKERS * share), seed };
  return onParts(service, async ({ bareUrl, deploy, log, redisCalls }) => {
    // Everything shares two cores: a stall of the machine must not pass for one of Redis.
    const worker = await deploy({ RULES: JSON.stringify(rules), TIMEOUT: "1s" });
    const driver = startChild("driver.ts");
    try {
      const drive: Drive = { url: worker.url, bareUrl, seed, phases, share };
      const driven = await driver.ask<Driven>(drive);
      return {
        people: population(seed, phases, share),
        phases,
        capacity,
        ...driven,
        ...(await log()),
        redisCalls: redisCalls(),
        promises,
      };
    } finally {
      await driver.stop();
      await worker.stop();
    }
  });
}
