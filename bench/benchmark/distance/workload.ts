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

export interface Traffic {
  readonly isolates: number;
  readonly seconds: number;
}

/** The requests of the identity of this rank, from 1 on, as a multiple of its limit. */
export function loadOf(rank: number): number {
  return LOAD / rank;
}

export function identityOf(rank: number): string {
  return `user-${rank}`;
}

/** Requests of identities by Zipf's law, spread over all isolates, and between them those to the bare app. Always the same. */
export function zipf({ isolates, seconds }: Traffic): Arrival[] {
  const identities = Array.from({ length: IDENTITIES }, (_, i) => ({
    identity: identityOf(i + 1),
    perSecond: RATE * loadOf(i + 1),
  }));
  const rates = [...identities, { identity: NOBODY, perSecond: BARE }];
  return arrivalsOf(rates, { seed: 1, isolates, seconds });
}
