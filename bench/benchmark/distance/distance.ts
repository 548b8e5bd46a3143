import { setTimeout as sleep } from "node:timers/promises";

import { bundle } from "../../support/bundle.ts";
import { prefer } from "../../support/priority.ts";
import { runWorker } from "../../support/run-worker.ts";
import { askThread, startThread } from "../../support/thread.ts";
import type { Figure, Part } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import type { Arrival } from "../trips/workload.ts";
import type { FarAnswer, FarCommand } from "./far-thread.ts";
import { figuresOf } from "./figures.ts";
import { type Outcome, outcomeOf } from "./judge.ts";
import { AHEAD, OTHERS, TOKEN, USUAL_MS } from "./names.ts";
import { openClient, replay, zipf } from "./replay.ts";

/** From the same rack to another continent. */
const ROUND_TRIPS_MS = [0.5, 5, 30, 100];

/**
 * The most by which slow requests of the bare app may exceed the usual ones. A larger difference shows other work of the machine.
 */
const CALM_MS = 15;
const ATTEMPTS = 3;

/** The time that requests wait for a decision, by the distance from Redis, and the cost of deciding early, in one workerd. */
export const distancePart: Part = async ({ short, tell }) => {
  const isolates = short ? 10 : 100;
  const arrivals = zipf(isolates, short ? 1 : 8);
  const distances = short ? [USUAL_MS] : ROUND_TRIPS_MS;
  const ways = [AHEAD, ...OTHERS].map(({ way }) => way);

  tell("the worker starts", 0);
  const module = await bundle(`export { default } from "./bench/benchmark/distance/app.ts";`);
  const server = await openRedis();
  const worker = await runWorker(module);
  prefer(worker.pid);
  const yieldAgain = prefer(process.pid);
  const thread = startThread(new URL("./far-thread.ts", import.meta.url), {
    redis: server.url,
    token: TOKEN,
  });
  const far = (command: FarCommand) => askThread<FarAnswer>(thread, command);

  async function measure(
    way: string,
    roundTripMs: number,
    sent: readonly Arrival[],
  ): Promise<Outcome> {
    const { url: redisUrl } = await far(roundTripMs);
    const ask = openClient({ url: worker.url, way, redisUrl });
    const settled = () => sleep(3 * roundTripMs + 100);
    // All isolates get the limiter of this run, and a connection.
    await Promise.all(Array.from({ length: isolates }, (_, isolate) => ask("warm", isolate)));
    await settled();
    const before = await far("count");
    const answered = await replay(sent, ask);
    await settled();
    const after = await far("count");
    return outcomeOf(answered, after.requests - before.requests, roundTripMs);
  }

  /** Measures again while the bare app shows that the machine was busy, and keeps the calmest run. */
  async function measureCalmly(way: string, roundTripMs: number): Promise<Outcome> {
    let calmest = await measure(way, roundTripMs, arrivals);
    for (let i = 1; i < (short ? 1 : ATTEMPTS) && calmest.bareP99Ms > CALM_MS; i++) {
      const outcome = await measure(way, roundTripMs, arrivals);
      if (outcome.bareP99Ms < calmest.bareP99Ms) calmest = outcome;
    }
    return calmest;
  }

  try {
    // The first requests of a worker wait until their code is compiled.
    const first = arrivals.filter(({ at }) => at < 1e6);
    if (!short) for (const way of ways) await measure(way, distances[0]!, first);
    const figures: Figure[] = [];
    let done = 0;
    for (const roundTripMs of distances) {
      const outcomes = new Map<string, Outcome>();
      for (const way of ways) {
        tell(`${way}, ${roundTripMs} ms`, done++ / (distances.length * ways.length));
        outcomes.set(way, await measureCalmly(way, roundTripMs));
      }
      figures.push(...figuresOf(roundTripMs, outcomes, isolates));
    }
    return figures;
  } finally {
    yieldAgain();
    await worker.stop();
    await far("close");
    await thread.terminate();
    await server.close();
  }
};
