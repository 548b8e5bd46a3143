import { watchBody } from "../runtime/watch-body.ts";
import { type Taken, tookSlots } from "./selection.ts";

/**
 * Keeps slots while a response is sent: calls `extend` with a chunk that passes once half of the time has gone for which
 * they were last kept. Chunks are the only sign that somebody still reads: by a timer, a body that nobody reads would keep
 * its slots for ever.
 */
export function keepSlots(response: Response, isDue: () => boolean, extend: () => void): Response {
  return watchBody(response, {
    chunk() {
      if (isDue()) extend();
    },
    end() {},
  });
}

/** The shortest time for which a policy keeps a slot, in milliseconds, if the hold wants it for `ttlUs`. */
export function shortestTtlMs(taken: readonly Taken[], ttlUs: number): number {
  const ttlsUs = taken
    .filter(tookSlots)
    .flatMap(({ request: { selection } }) =>
      selection.policies.flatMap(({ implementation, parameters }) =>
        implementation.hasSlots ? [parameters["ttlUs"]!] : [],
      ),
    );
  return Math.min(ttlUs, ...ttlsUs) / 1000;
}
