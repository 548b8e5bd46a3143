/** One request: when, in microseconds from the start, whose, and which isolate it reaches. */
export interface Arrival {
  readonly at: number;
  readonly identity: string;
  readonly isolate: number;
}

export interface WorkloadOptions {
  readonly seed: number;
  /** The requests of the abuser, as a multiple of its limit. */
  readonly load: number;
  readonly isolates: number;
  /** Requests per second that the limit allows. */
  readonly rate: number;
  readonly seconds: number;
}

export const ABUSER = "abuser";
/** The other identities: the first asks for a fifth of its limit, the n-th for 1/n of that. */
const POLITE = 50;
const BUSIEST = 0.2;

/** The requests of an identity, on average. */
export interface Rate {
  readonly identity: string;
  readonly perSecond: number;
}

/** A recording: the same seed gives the same requests. Identities by Zipf's law, and one that asks for too much. */
export function workload({ seed, load, isolates, rate, seconds }: WorkloadOptions): Arrival[] {
  const rates = Array.from({ length: POLITE }, (_, i) => ({
    identity: `user-${i}`,
    perSecond: (rate * BUSIEST) / (i + 1),
  }));
  rates.push({ identity: ABUSER, perSecond: rate * load });
  return arrivalsOf(rates, { seed, isolates, seconds });
}

/** Requests at random moments, spread over all isolates, in the order of their time. */
export function arrivalsOf(
  rates: readonly Rate[],
  { seed, isolates, seconds }: Pick<WorkloadOptions, "seed" | "isolates" | "seconds">,
): Arrival[] {
  const next = random(seed);
  const arrivals = rates.flatMap(({ identity, perSecond }) => {
    const own: Arrival[] = [];
    for (let at = 0; ;) {
      at += (-Math.log(1 - next()) / perSecond) * 1e6;
      if (at > seconds * 1e6) return own;
      own.push({ at: Math.floor(at), identity, isolate: Math.floor(next() * isolates) });
    }
  });
  return arrivals.sort((a, b) => a.at - b.at);
}

/** Numbers from 0 to 1. Mulberry32. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
