import { cumsum } from "d3-array";

import { slidingWindowCounter } from "../../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../../src/algorithms/token-bucket.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { random } from "../trips/workload.ts";

/** The round trips to home of the five regions, and the one to the store nearby, in milliseconds. */
export const HOME_MS = [30, 60, 90, 120, 180] as const;
export const NEARBY_MS = 2;

/** One request: when, in microseconds from the start, whose, and which isolate of which region it reaches. */
export interface Arrival {
  readonly at: number;
  readonly identity: string;
  readonly region: number;
  readonly isolate: number;
}

export interface Scene {
  readonly name: string;
  readonly kind: "hot" | "trailing" | "many" | "small";
  readonly policy: Policy;
  /** Units of an identity that each region admits before home has counted them; 0 for none. */
  readonly credit: number;
  /** Requests per second, of all regions. */
  readonly perSecond: number;
  /** The number of identities, which ask by Zipf's law. */
  readonly identities: number;
  /** The share of the requests that reaches each region. */
  readonly shares: readonly number[];
  /** The number of isolates in each region. */
  readonly isolates: number;
  readonly seconds: number;
  /** Seconds before counting starts, in which the initial quota is used up. */
  readonly warmUp: number;
}

const EVEN = [0.2, 0.2, 0.2, 0.2, 0.2];
/** Seven tenths of the requests are where home is farthest. */
const SKEWED = [0.05, 0.05, 0.1, 0.1, 0.7];

/** Units per second that the hot bucket refills. */
const RATE = 1_000;
const LOADS = [0.3, 0.9, 1.4, 5];

const hotScene = (spread: string, shares: readonly number[], load: number): Scene => ({
  name: `hot, ${spread}, load ${load}`,
  kind: "hot",
  policy: tokenBucket({ name: "hot", limit: 2 * RATE, refill: RATE, per: "1s" }),
  credit: 0,
  perSecond: load * RATE,
  identities: 1,
  shares,
  isolates: 50,
  seconds: 6,
  // Less than twice the limit uses the initial quota up slowly.
  warmUp: load > 1 && load < 2 ? 6 : 2,
});

/** A window has lost a part to its longer term: over three windows, so that the phase of one does not show. */
const trailing: Scene = {
  name: "sliding-window-log, even, load 1.4",
  kind: "trailing",
  policy: slidingWindowLog({ name: "log", limit: 6_000, window: "1m" }),
  credit: 0,
  perSecond: 140,
  identities: 1,
  shares: EVEN,
  isolates: 20,
  seconds: 180,
  warmUp: 60,
};

/** Less than two requests in a second and region: hardly any unit can be taken ahead of time. */
const smallScene = (credit: number, load: number): Scene => ({
  name: `100 a minute, ${credit > 0 ? `credit ${credit}` : "no credit"}, load ${load}`,
  kind: "small",
  policy: slidingWindowCounter({ name: "small", limit: 100, window: "1m" }),
  credit,
  perSecond: (load * 100) / 60,
  identities: 1,
  shares: EVEN,
  isolates: 20,
  seconds: 600,
  warmUp: 60,
});

const zipfScene = (identities: number): Scene => ({
  name: `Zipf, ${identities.toLocaleString("en")} identities, credit 2`,
  kind: "many",
  policy: tokenBucket({ name: "each", limit: 100, refill: 20, per: "1s" }),
  credit: 2,
  perSecond: 800,
  identities,
  shares: EVEN,
  isolates: 20,
  seconds: 12,
  warmUp: 3,
});

export const SCENES: readonly Scene[] = [
  ...LOADS.map((load) => hotScene("even", EVEN, load)),
  ...LOADS.map((load) => hotScene("skewed", SKEWED, load)),
  trailing,
  zipfScene(1_000),
  zipfScene(100_000),
  smallScene(0, 0.9),
  smallScene(0, 1.4),
  smallScene(2, 0.9),
  smallScene(2, 1.4),
];

/** Some of the scenes, so short that they only show that all runs. */
export const SHORT_SCENES: readonly Scene[] = SCENES.filter(({ name }) =>
  /even, load (?:0.9|5)$|skewed, load 5$|^Zipf, 1,000 /.test(name),
).map((scene) =>
  Object.assign({}, scene, { perSecond: scene.perSecond / 20, seconds: 1, warmUp: 0 }),
);

/** The requests of a scene in the order of their time, always the same. */
export function* arrivalsOf(scene: Scene): Generator<Arrival> {
  const { perSecond, identities, shares, isolates, seconds, warmUp } = scene;
  const next = random(1);
  const weights = cumsum(Array.from({ length: identities }, (_, i) => 1 / (i + 1)));
  const regions = cumsum(shares);
  const draw = (sums: Float64Array) => {
    const place = next() * sums.at(-1)!;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > place) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  for (let at = 0; ;) {
    at += (-Math.log(1 - next()) / perSecond) * 1e6;
    if (at > (warmUp + seconds) * 1e6) return;
    const [identity, region] = [String(draw(weights)), draw(regions)];
    yield { at: Math.floor(at), identity, region, isolate: Math.floor(next() * isolates) };
  }
}
