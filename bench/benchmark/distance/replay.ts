import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import type { Arrival } from "../trips/workload.ts";
import { NOBODY } from "./workload.ts";

/** A request that was answered. Times in milliseconds from the start. */
export interface Answered {
  readonly identity: string;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly allowed: boolean;
}

/** Sends requests to isolates, which decide them in one way. */
export interface Client {
  /** Asks each isolate once, so that all have the limiter of this run and a connection. */
  warm(): Promise<void>;
  replay(arrivals: readonly Arrival[]): Promise<Answered[]>;
  close(): void;
}

export interface ClientOptions {
  /** Of the worker. */
  readonly url: string;
  readonly isolates: number;
  readonly way: string;
  readonly run: string;
  readonly redisUrl: string;
}

export function openClient({ url, isolates, way, run, redisUrl }: ClientOptions): Client {
  const agent = new Agent({ keepAlive: true });
  const headers = { "x-run": run, "x-redis-url": redisUrl };

  function ask(identity: string, isolate: number): Promise<boolean> {
    const path = `/${identity === NOBODY ? "bare" : way}/${isolate}/${identity}`;
    return new Promise((resolve, reject) => {
      request(url + path, { agent, headers }, (response) => {
        const { statusCode } = response;
        response.resume().once("end", () => {
          if (statusCode === 200 || statusCode === 429) resolve(statusCode === 200);
          else reject(new Error(`${way}: the worker answered ${statusCode}`));
        });
      })
        .once("error", reject)
        .end();
    });
  }

  return {
    async warm() {
      await Promise.all(Array.from({ length: isolates }, (_, isolate) => ask("warm", isolate)));
    },

    async replay(arrivals) {
      const start = performance.now();
      const clock = () => performance.now() - start;

      async function answered({ identity, isolate }: Arrival): Promise<Answered> {
        const askedAtMs = clock();
        const allowed = await ask(identity, isolate);
        return { identity, askedAtMs, answeredAtMs: clock(), allowed };
      }

      const asked: Promise<Answered>[] = [];
      for (const arrival of arrivals) {
        const leftMs = arrival.at / 1000 - clock();
        if (leftMs > 0) await sleep(leftMs);
        asked.push(answered(arrival));
      }
      return Promise.all(asked);
    },

    close: () => agent.destroy(),
  };
}
