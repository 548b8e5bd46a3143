import { setTimeout as sleep } from "node:timers/promises";

import { mean, quantile } from "d3-array";

import { nowMs } from "../clock.ts";
import { type Client, createClient } from "../driver/client.ts";
import { onParts } from "./parts.ts";

export interface DenialOptions {
  readonly probes: number;
  /** Other denials per second meanwhile, about as many as in the surge. */
  readonly besidesPerSecond: number;
}

/** The time of a 429 from end to end, by the part that decides it. Milliseconds, without the driver's own. */
export interface DenialLatency extends DenialOptions {
  /** The driver's own time: a request to the API without a gateway. */
  readonly driverMs: number;
  /** Denied by an isolate that had to ask Redis. */
  readonly byRedis: Latency;
  /** Denied by an isolate that knew. */
  readonly byIsolate: Latency;
}

export interface Latency {
  readonly meanMs: number;
  readonly p95Ms: number;
}

const PROBE_EVERY_MS = 25;
/** One request of each client, and no other for as long as this runs. */
const RULES = JSON.stringify([
  {
    path: "/*",
    partition: ["header:x-user-id"],
    policies: [{ algorithm: "token-bucket", name: "once", limit: 1, refill: 1, per: "1h" }],
  },
]);

/**
 * A client is admitted by one gateway, which uses up its limit, and then denied by another: first by Redis, as this isolate does
 * not know the client yet, then by the isolate's cache.
 */
export function denialLatency(
  options: DenialOptions,
  tell: (line: string) => void,
): Promise<DenialLatency> {
  return onParts(async ({ api, deploy }) => {
    const [first, second] = [await deploy({ RULES }), await deploy({ RULES })];
    const [admitting, denying, bare] = [first.url, second.url, api.url].map((url) =>
      createClient(url),
    ) as [Client, Client, Client];
    try {
      tell(`${options.probes} clients, ${options.besidesPerSecond} other denials per second`);
      const besides = new AbortController();
      const load = loadWith(denying, options.besidesPerSecond, besides.signal);
      const times = { driver: [] as number[], redis: [] as number[], isolate: [] as number[] };
      const beginMs = nowMs();
      for (let probe = 0; probe < options.probes; probe++) {
        await sleep(Math.max(0, beginMs + probe * PROBE_EVERY_MS - nowMs()));
        const id = `probe-${probe}`;
        await timed(admitting, id, 200);
        times.driver.push(await timed(bare, id, 200));
        times.redis.push(await timed(denying, id, 429));
        times.isolate.push(await timed(denying, id, 429));
      }
      besides.abort();
      await load;
      const driverMs = mean(times.driver)!;
      const latencyOf = (list: readonly number[]): Latency => ({
        meanMs: mean(list)! - driverMs,
        p95Ms: quantile(list, 0.95)! - driverMs,
      });
      const { redis, isolate } = times;
      return { ...options, driverMs, byRedis: latencyOf(redis), byIsolate: latencyOf(isolate) };
    } finally {
      for (const client of [admitting, denying, bare]) client.close();
      await first.stop();
      await second.stop();
    }
  });
}

async function timed(client: Client, id: string, expected: number): Promise<number> {
  const sentMs = nowMs();
  const { status } = await client.send({ path: "/", headers: { "x-user-id": id } });
  if (status !== expected) throw new Error(`a probe got ${status}, not ${expected}`);
  return nowMs() - sentMs;
}

/** Sends requests of one client at their times, without regard to the answers. */
async function loadWith(client: Client, perSecond: number, signal: AbortSignal): Promise<void> {
  const beginMs = nowMs();
  const sent: Promise<unknown>[] = [];
  for (let i = 0; !signal.aborted; i++) {
    await sleep(Math.max(0, beginMs + (i * 1000) / perSecond - nowMs()));
    sent.push(client.send({ path: "/", headers: { "x-user-id": "besides" } }));
  }
  await Promise.all(sent);
}
