import type { SendCommand } from "../store/redis/rest.ts";
import { MAX_DOCUMENT_BYTES } from "./document-size.ts";
import type { LiveKeys } from "./keys.ts";
import { type LiveState, NO_STATE } from "./state.ts";

/** Reads the live rules; `known` itself if nothing was written since. */
export type ReadState = (known: LiveState) => Promise<LiveState>;

/**
 * Reads the live rules from Redis: one command if nothing was written since the last time, else three. The document and
 * its version are fields of one hash, so that they always belong together.
 *
 * @throws StoreError if Redis gives no usable answer
 */
export function stateReader(send: SendCommand, { state, entries }: LiveKeys): ReadState {
  return async function readState(known) {
    const revision = wholeOf(await send(["HGET", state, "revision"]));
    if (revision === known.revision) return known;
    // An older copy, or none: its document is of no use.
    if (revision < known.revision) return { ...NO_STATE, revision };
    const fields = pairsOf(await send(["HGETALL", state]));
    // Read after the state, so that they are at least as new; whatever was written between is read the next time.
    const own = pairsOf(await send(["HGETALL", entries]));
    const { document } = fields;
    return {
      revision: wholeOf(fields["revision"]),
      version: wholeOf(fields["version"]),
      publishedAtMs: wholeOf(fields["publishedAt"]),
      // What is longer was written by something else, and is refused: no character has less than a byte.
      document: document?.slice(0, MAX_DOCUMENT_BYTES + 1),
      entries: own,
    };
  };
}

/** A hash as Redis replies with it: fields and values in turn. */
function pairsOf(reply: unknown): Record<string, string> {
  if (!Array.isArray(reply)) return {};
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < reply.length; i += 2)
    pairs.push([String(reply[i]), String(reply[i + 1])]);
  return Object.fromEntries(pairs);
}

function wholeOf(text: unknown): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}
