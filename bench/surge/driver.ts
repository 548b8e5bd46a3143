// The people, in a thread of their own, as `runIncident` starts it. Its one message is `Driven`.

import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

import { mean } from "d3-array";

import { live } from "./behaviour.ts";
import { ask, nowMs, until } from "./client.ts";
import { type Endpoint, type Intention, type Phases, population, ROUTES } from "./population.ts";

export interface Drive {
  readonly url: string;
  /** The address of a server that answers at once. */
  readonly bareUrl: string;
  readonly seed: number;
  readonly phases: Phases;
  /** The part of the riders. */
  readonly share: number;
}

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
/** Longer than the API waits: a request that is open then was lost. */
const DRAIN_MS = 35_000;

const { url, bareUrl, seed, phases, share } = workerData as Drive;
const beginMs = nowMs() + 100;
const endMs = beginMs + phases.quietMs + phases.surgeMs + phases.afterMs;
const asked: Asked[] = [];
const served = new Set<Intention>();
const open = new Set<number>();

async function request(person: number, id: string, intention: Intention, atMs: number) {
  // No person begins anything after the end.
  if (nowMs() > endMs) return new Promise<never>(() => {});
  const { method, path } = ROUTES[intention.endpoint];
  const sent = { person, endpoint: intention.endpoint, meantMs: beginMs + atMs, sentMs: nowMs() };
  const lost = { endMs: endMs + DRAIN_MS, status: 0, askedRedis: false, wanted: false };
  const number = asked.push({ ...sent, ...lost }) - 1;
  open.add(number);
  const headers = {
    "x-user-id": id,
    "x-request-number": number,
    // An address for each person.
    "cf-connecting-ip": `198.18.${person >> 8}.${person & 255}`,
  };
  const { status, retryAfterMs, askedRedis } = await ask(url + path, { method, headers });
  open.delete(number);
  const wanted = status === 200 && !served.has(intention);
  if (wanted) served.add(intention);
  asked[number] = { ...sent, endMs: nowMs(), status, askedRedis, wanted };
  return { status, retryAfterMs };
}

const latencies: number[] = [];
const probe = setInterval(async () => {
  const sentMs = nowMs();
  const { status } = await ask(bareUrl);
  if (status === 200) latencies.push(nowMs() - sentMs);
}, PROBE_EVERY_MS);
population(seed, phases, share).forEach((person, i) => {
  void live(person, {
    now: () => nowMs() - beginMs,
    until: (ms) => until(beginMs + ms),
    ask: (intention, atMs) => request(i, person.id, intention, atMs),
  });
});
await until(endMs);
clearInterval(probe);
const driverMs = mean(latencies) ?? 0;
while (open.size > 0 && nowMs() < endMs + DRAIN_MS) await sleep(50);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage({ beginMs, driverMs, asked } satisfies Driven);
