import { runWorker } from "../../support/run-worker.ts";
import { nowMs } from "../clock.ts";
import type { Progress } from "../driver/records.ts";
import type { Run } from "../figures/measure.ts";
import type { Phases } from "../people/phases.ts";
import { population } from "../people/population.ts";
import type { Setup } from "../setups/setup.ts";
import { drive, type Load, startOrigin } from "./children.ts";
import { happen, type RedisEvent, startLosableRedis } from "./redis.ts";
import { startUpstash } from "./upstash.ts";

export interface RunOptions {
  readonly seed: number;
  readonly phases: Phases;
  /** Of the reference's riders and of the matching service's capacity. */
  readonly share: number;
  readonly capacity: number;
  /** The outages of Redis during the run. Default: none. */
  readonly events?: readonly RedisEvent[];
  readonly onProgress: (progress: Progress, load: Load | undefined) => void;
}

/** Calls that the matching service of all riders does at once. */
const WORKERS = 16;

/** Sends the people through a worker to the API, all on real parts, and resolves with all that happened. */
export async function runSurge(setup: Setup, options: RunOptions): Promise<Run> {
  const { seed, phases, share, capacity, events = [], onProgress } = options;
  const stops: (() => Promise<void>)[] = [];
  try {
    const redis = await startLosableRedis();
    stops.unshift(() => redis.lose());
    const { bridge, variables } = await startUpstash(redis.url);
    stops.unshift(() => bridge.close());
    const origin = await startOrigin(
      { capacity, workers: Math.ceil(WORKERS * share), seed },
      nowMs,
    );
    stops.unshift(() => origin.stop());
    const worker = await runWorker(await setup.module(), {
      ...setup.variables,
      ORIGIN: origin.url,
      ...variables,
    });
    stops.unshift(() => worker.stop());
    const driving = drive({ url: worker.url, bare: origin.bare, seed, phases, share }, (progress) =>
      onProgress(progress, origin.loads.at(-1)),
    );
    const [driven] = await Promise.all([
      driving.done,
      driving.begun.then((beginMs) => happen(events, beginMs, redis)),
    ]);
    return {
      people: population(seed, phases, share),
      phases,
      capacity,
      ...driven,
      arrivals: await origin.arrivals(),
      loads: origin.loads,
      redisCalls: bridge.requests,
      promises: setup.promises,
    };
  } finally {
    for (const stop of stops) await stop();
  }
}
