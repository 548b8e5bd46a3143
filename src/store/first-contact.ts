/**
 * How many timeouts a first contact may take: the connection needs up to three round trips, for TCP and TLS, before the
 * command, and a script that the server has not loaded takes one more. Later calls take one.
 */
const ROUND_TRIPS = 4;

/** No request waits longer because its isolate is new. */
const MAX_MS = 1_000;

/** How long a call may take in an isolate that has no answer of its Redis yet, in milliseconds. */
export function firstContactMs(timeoutMs: number): number {
  return Math.max(timeoutMs, Math.min(ROUND_TRIPS * timeoutMs, MAX_MS));
}
