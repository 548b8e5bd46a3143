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
