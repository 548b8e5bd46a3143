import { nextMessage, startThread } from "../support/thread.ts";
import type { Drive, Driven } from "./driver.ts";
import type { Promised, Run } from "./measure.ts";
import { onParts } from "./parts.ts";
import { type Phases, population, ROUTES } from "./population.ts";

/** The set-ups that the surge meets: no limiter, each layer of it, all of it. */
export const SETUPS = ["without", "bucket", "ceiling", "with"] as const;
export type SetupName = (typeof SETUPS)[number];

export interface IncidentOptions {
  readonly seed: number;
  readonly phases: Phases;
  /** The part of the incident's riders. */
  readonly share: number;
  /** The capacity of the matching service, in calls per second. */
  readonly capacity: number;
}

/** The gateway's rules, and what they promise. */
interface Layers {
  readonly rules: readonly object[];
  readonly promises: readonly Promised[];
}

/** Calls that the matching service of all riders does at once. */
const WORKERS = 16;
/** The bucket that the incident's report has for each rider and endpoint. */
const RIDER_BUCKET = { limit: 20, refill: 10, per: "1s" };
/** The option that the last layer adds. */
const JITTER = { retryJitter: 0.1 };

/** Sends the people through the gateway to the API, all on real parts, and resolves with all that happened. */
export function runIncident(setup: SetupName, options: IncidentOptions): Promise<Run> {
  const { seed, phases, share, capacity } = options;
  const { rules, promises } = layersOf(setup, capacity);
  const service = { capacity, workers: Math.ceil(WORKERS * share), seed };
  return onParts(service, async ({ bareUrl, deploy, log, redisCalls }) => {
    // Everything shares two cores: a stall of the machine must not pass for one of Redis.
    const worker = await deploy({ RULES: JSON.stringify(rules), TIMEOUT: "1s" });
    const drive: Drive = { url: worker.url, bareUrl, seed, phases, share };
    const driver = startThread(new URL("./driver.ts", import.meta.url), drive);
    try {
      const driven = await nextMessage<Driven>(driver);
      const people = population(seed, phases, share);
      const seen = await log();
      return { people, phases, capacity, ...driven, ...seen, redisCalls: redisCalls(), promises };
    } finally {
      await driver.terminate();
      await worker.stop();
    }
  });
}

function layersOf(setup: SetupName, capacity: number): Layers {
  const more = setup === "with" ? JITTER : {};
  const riders = Object.entries(ROUTES).map(([name, { method, path }]) => {
    const policy = { algorithm: "token-bucket", name, ...RIDER_BUCKET, ...more };
    return { method, path, partition: ["header:x-user-id", "ip"], policies: [policy] };
  });
  // The gateway wants a rule: one that covers no request of the surge.
  if (setup === "without") return { rules: [{ ...riders[0], path: "/nothing" }], promises: [] };
  const perRider = promiseOf(RIDER_BUCKET, ({ person, endpoint }) => `${person} ${endpoint}`);
  if (setup === "bucket") return { rules: riders, promises: [perRider] };
  // A quarter of a second may come at once: enough for the lease's pieces, and no queue worth the name.
  const bucket = { limit: Math.ceil(capacity / 4), refill: capacity, per: "1s" };
  const policy = {
    algorithm: "token-bucket",
    name: "matching",
    ...bucket,
    lease: "100ms",
    ...more,
  };
  const ceiling = { path: "/api/*", partition: "*", policies: [policy] };
  return {
    rules: [...riders, ceiling],
    promises: [perRider, promiseOf(bucket, () => "everybody")],
  };
}

function promiseOf(
  { limit, refill }: { readonly limit: number; readonly refill: number },
  partitionOf: Promised["partitionOf"],
): Promised {
  return { bucket: { limit, refillPerMs: refill / 1000 }, partitionOf };
}
