/** Five seconds of the rate, so that the busiest identities empty their buckets early in a run. */
export const LIMIT = 50;
/** Units per second. So few that the machine keeps up with every way: a queue would be measured as a wait for Redis. */
export const RATE = 10;
/** Units that an isolate admits ahead of Redis with `optimistic`: its default. */
export const UNSETTLED = 1;
/** The share of the limit that an isolate with a threshold counts alone before it reports to Redis. */
export const THRESHOLD = 0.2;
/** Units that an isolate counts by itself before it tells Redis, with unsynchronised tokens. */
export const UNSYNCHRONISED = 20;

/** The token of the bridge. */
export const TOKEN = "local";

/** One way to decide, as results name it. */
export interface Named {
  readonly way: string;
  readonly name: string;
  /** The most units that it admits above the limit; `undefined` if that grows with the traffic. */
  readonly bound?: (isolates: number) => number;
}

/** Tidegate's with which the others are compared. */
export const AHEAD: Required<Named> = {
  way: "optimistic",
  name: "optimistic",
  bound: (isolates) => UNSETTLED * isolates,
};

export const OTHERS: readonly Named[] = [
  { way: "plain", name: "plain", bound: () => 0 },
  { way: "leased", name: "leased", bound: () => 0 },
  { way: "upstash", name: "@upstash/ratelimit", bound: () => 0 },
  { way: "interval", name: "sync by interval" },
  {
    way: "threshold",
    name: "threshold",
    bound: (isolates) => THRESHOLD * LIMIT * isolates,
  },
  {
    way: "tokens",
    name: "unsynchronised tokens",
    bound: (isolates) => UNSYNCHRONISED * isolates,
  },
  { way: "own", name: "own bucket per isolate" },
];

/** An app that answers the same without a limiter. */
export const BARE = "a bare app";

/** The distance that the targets, the documents and the pictures' titles are about. */
export const USUAL_MS = 30;

/** The ends of names of figures, after the distance. */
export const ADDED_P50 = "added to allowed requests, p50";
export const ADDED_P99 = "added to allowed requests, p99";
export const CALLS = "Redis calls per decision";
export const EXCESS = "admitted beyond the admissible";
export const BURST = "most units of an identity above its limit";
export const BOUND = "most units of an identity above its limit, by the bound";
export const WRONGLY_DENIED = "admissible requests denied";

const OF_LOAD = new RegExp(
  `^${USUAL_MS} ms from Redis: ${EXCESS}, at (?<load>[\\d.]+) times the limit$`,
);

/** The name of a figure of one distance. */
export function figureName(roundTripMs: number, end: string): string {
  return `${roundTripMs} ms from Redis: ${end}`;
}

/** The end of the name of a figure about the identity that sends this multiple of its limit. */
export function loadName(load: number): string {
  return `${EXCESS}, at ${load.toFixed(2)} times the limit`;
}

/** Reads the name of a figure of `loadName`: the requests of an identity, as a multiple of its limit. */
export function readLoad(name: string): number | undefined {
  const load = OF_LOAD.exec(name)?.groups?.["load"];
  return load === undefined ? undefined : Number(load);
}
