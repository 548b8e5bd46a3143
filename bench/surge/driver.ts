// The people, in a process of their own, as `runSurge` forks it.

import { setTimeout as sleep } from "node:timers/promises";

import { mean } from "d3-array";

import { live, type World } from "./behaviour.ts";
import { createClient } from "./client.ts";
import { nowMs, until } from "./clock.ts";
import { type Endpoint, type Intention, type Phases, population, ROUTES } from "./population.ts";

export interface Drive {
  readonly url: string;
  /** Of a server that answers at once. */
  readonly bareUrl: string;
  readonly seed: number;
  readonly phases: Phases;
  /** Of the riders. */
  readonly share: number;
}

/** The driver's one answer, when all people are done. */
export interface Driven {
  readonly beginMs: number;
  /** The mean latency of requests that a server answers at once, at the load of this run. */
  readonly driverMs: number;
  /** In the order in which they were sent. */
  readonly asked: readonly Asked[];
}

/** One request, as its sender saw it. Times are milliseconds of the shared clock. */
export interface Asked {
  /** Index of the person in the population. */
  readonly person: number;
  readonly endpoint: Endpoint;
  /** When the person meant to send it; latency counts from here, so that a late driver does not flatter it. */
  readonly meantMs: number;
  readonly sentMs: number;
  readonly endMs: number;
  /** 0: no answer. */
  readonly status: number;
  /** Whether Redis had a part in a denial. */
  readonly askedRedis: boolean;
  /** Whether it was the first success of this wish of the person, in time. */
  readonly wanted: boolean;
}

const PROBE_EVERY_MS = 50;
/** Longer than the API and the apps wait: a request that is open then was lost. */
const DRAIN_MS = 35_000;

process.once("message", async (drive: Drive) => process.send!(await run(drive)));
process.on("disconnect", () => process.exit());

async function run({ url, bareUrl, seed, phases, share }: Drive): Promise<Driven> {
  const people = population(seed, phases, share);
  const client = createClient(url);
  const asked: Asked[] = [];
  const counts = { sent: 0, open: 0 };
  const served = new Set<Intention>();
  const beginMs = nowMs() + 100;
  const endMs = beginMs + phases.quietMs + phases.surgeMs + phases.afterMs;

  function worldOf(person: number, id: string): World {
    return {
      now: () => nowMs() - beginMs,
      until: (ms) => until(beginMs + ms),
      async ask(intention, atMs) {
        // No person begins anything after the end.
        if (nowMs() > endMs) return new Promise(() => {});
        const { endpoint } = intention;
        const number = counts.sent++;
        const sentMs = nowMs();
        const headers = {
          "x-user-id": id,
          "x-request-number": number,
          // An address for each person.
          "cf-connecting-ip": `198.18.${person >> 8}.${person & 255}`,
        };
        counts.open++;
        const answer = await client.send({ ...ROUTES[endpoint], headers });
        counts.open--;
        const { status, askedRedis } = answer;
        const wanted = status === 200 && !served.has(intention);
        if (wanted) served.add(intention);
        const times = { meantMs: beginMs + atMs, sentMs, endMs: nowMs() };
        asked[number] = { person, endpoint, ...times, status, askedRedis, wanted };
        return answer;
      },
    };
  }

  const probe = startProbe(bareUrl);
  void Promise.all(people.map((person, i) => live(person, worldOf(i, person.id))));
  await until(endMs);
  const driverMs = probe.stop();
  while (counts.open > 0 && nowMs() < endMs + DRAIN_MS) await sleep(50);
  // Open requests lose their connections now, and count as unanswered.
  client.close();
  while (counts.open > 0) await sleep(10);
  return { beginMs, driverMs, asked };
}

/** Measures the driver's own latency while it drives; `stop()` returns the mean in milliseconds. */
function startProbe(url: string): { stop(): number } {
  const client = createClient(url);
  const { pathname: path } = new URL(url);
  const latencies: number[] = [];
  const timer = setInterval(async () => {
    const sentMs = nowMs();
    const { status } = await client.send({ path });
    if (status === 200) latencies.push(nowMs() - sentMs);
  }, PROBE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      client.close();
      return mean(latencies) ?? 0;
    },
  };
}
