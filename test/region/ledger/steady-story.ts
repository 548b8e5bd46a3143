import type { Policy } from "../../../src/policy/policy.ts";
import { random } from "../../support/random.ts";
import type { Arrival, Server, Story } from "./story.ts";

/** One identity, as many requests all the time, and no trouble. */
interface Steady {
  readonly seed: number;
  /** Refills a second's worth of requests at a load of 1. */
  readonly policy: Policy & { readonly refill: number };
  readonly regions: number;
  readonly isolates: number;
  /** How many requests come for each unit that refills. */
  readonly load: number;
  readonly seconds: number;
}

export function steadyStory({ seed, policy, regions, isolates, load, seconds }: Steady): Story {
  const next = random(seed);
  const spanUs = seconds * 1e6;
  const arrivals: Arrival[] = [];
  const gap = () => (-Math.log(1 - next()) * 1e6) / (policy.refill * load);
  for (let at = gap(); at < spanUs; at += gap()) {
    arrivals.push({
      kind: "limit",
      cost: {},
      at: Math.floor(at),
      region: Math.floor(next() * regions),
      isolate: Math.floor(next() * isolates),
      identity: {},
      plan: undefined,
    });
  }
  const server = (): Server => ({
    pace: 2e-4 * (2 * next() - 1),
    offsetUs: Math.floor((2 * next() - 1) * 500e6),
    clockSteps: [],
    flushes: [],
    isDead: () => false,
  });
  return {
    seed,
    spanUs,
    hasObjects: false,
    trouble: false,
    termMs: 1_000,
    credit: 0,
    stores: regions,
    versions: [{ policies: [{ ...policy, by: "*" }], plans: {} }],
    changeAt: undefined,
    isolates,
    remembersDenials: true,
    onFailure: "closed",
    home: server(),
    regions: Array.from({ length: regions }, () => ({
      ...server(),
      nearbyUs: 500 + next() * 2_000,
      homeUs: 5_000 + next() * 40_000,
    })),
    deaths: [],
    arrivals,
  };
}
