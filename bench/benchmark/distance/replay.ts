import { setTimeout as sleep } from "node:timers/promises";

import { send } from "../../support/send.ts";
import { type Arrival, arrivalsOf } from "../trips/workload.ts";
import { RATE } from "./names.ts";

/** The requests of the busiest identity, as a multiple of its limit; the n-th sends 1/n of that. */
const LOAD = 5;
const IDENTITIES = 15;
/** The number of identities that send half of their limit or more. */
export const BUSY = 10;
/** Requests per second that no limiter decides. */
const BARE = 100;
/** The identity of the bare app's requests. */
export const NOBODY = "nobody";

/** The requests of the identity of this rank, from 1 on, as a multiple of its limit. */
export function loadOf(rank: number): number {
  return LOAD / rank;
}

export function identityOf(rank: number): string {
  return `user-${rank}`;
}

/** Requests of identities by Zipf's law, spread over all isolates, and between them those to the bare app. Always the same. */
export function zipf(isolates: number, seconds: number): Arrival[] {
  const identities = Array.from({ length: IDENTITIES }, (_, i) => ({
    identity: identityOf(i + 1),
    perSecond: RATE * loadOf(i + 1),
  }));
  const rates = [...identities, { identity: NOBODY, perSecond: BARE }];
  return arrivalsOf(rates, { seed: 1, isolates, seconds });
}

/** A request that was answered. Times in milliseconds from the start. */
export interface Answered {
  readonly identity: string;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly allowed: boolean;
}

export interface ClientOptions {
  /** The address of the worker. */
  readonly url: string;
  readonly way: string;
  readonly redisUrl: string;
}

/** Asks an isolate, which decides in one way. */
export type Ask = (identity: string, isolate: number) => Promise<boolean>;

/** A client of isolates that have a limiter of their own for it. */
export function openClient({ url, way, redisUrl }: ClientOptions): Ask {
  const headers = { "x-run": crypto.randomUUID(), "x-redis-url": redisUrl };
  return async (identity, isolate) => {
    const path = `/${identity === NOBODY ? "bare" : way}/${isolate}/${identity}`;
    const { statusCode } = await send(url + path, { headers });
    if (statusCode === 200 || statusCode === 429) return statusCode === 200;
    throw new Error(`${way}: the worker answered ${statusCode}`);
  };
}

/** Sends requests at their times, whether or not those before them are answered. */
export async function replay(arrivals: readonly Arrival[], ask: Ask): Promise<Answered[]> {
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
}
