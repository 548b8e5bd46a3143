/**
 * The number of timeouts that a first contact may take: the connection needs up to three round trips, for TCP and TLS,
 * before the command, and a script that the server has not loaded takes one more. Later calls take one.
 */
const ROUND_TRIPS = 4;

/** The upper bound of a first request's wait in a new isolate. */
const MAX_MS = 1_000;

/** The time limit of a call in an isolate that has no answer of its Redis yet, in milliseconds. */
export function firstContactMs(timeoutMs: number): number {
  return Math.max(timeoutMs, Math.min(ROUND_TRIPS * timeoutMs, MAX_MS));
}
