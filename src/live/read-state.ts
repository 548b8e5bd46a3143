import type { SendCommand } from "../store/redis/rest.ts";
import { MAX_DOCUMENT_BYTES } from "./document-size.ts";
import type { LiveKeys } from "./keys.ts";
import { MAX_VERSION, wholeUpTo } from "./numbers.ts";
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
    const given = await send(["HGET", state, "revision"]);
    const revision = revisionOf(given);
    const misread = isForeign(given) ? FOREIGN_REVISION : undefined;
    if (revision === known.revision)
      return misread === known.misread ? known : { ...known, misread };
    // An older copy, or none: its document is of no use.
    if (revision < known.revision) return { ...NO_STATE, revision, misread };
    const fields = pairsOf(await send(["HGETALL", state]));
    // Read after the state, so that they are at least as new; whatever was written between is read the next time.
    const own = await readEntries();
    const { document } = fields;
    return {
      revision: revisionOf(fields["revision"]),
      version: wholeUpTo(MAX_VERSION, fields["version"]),
      publishedAtMs: wholeUpTo(Number.MAX_SAFE_INTEGER, fields["publishedAt"]),
      // What is longer was written by something else, and is refused: no character has less than a byte.
      document: document?.slice(0, MAX_DOCUMENT_BYTES + 1),
      entries: own ?? {},
      misread: misread ?? (own ? undefined : FOREIGN_ENTRIES),
    };
  };

  /** `undefined` where a key of another type stands in their place: the document is enforced all the same. */
  async function readEntries(): Promise<Record<string, string> | undefined> {
    try {
      return pairsOf(await send(["HGETALL", entries]));
    } catch (error) {
      if (/\bWRONGTYPE\b/.test((error as Error).message)) return undefined;
      throw error;
    }
  }
}

const FOREIGN_REVISION =
  "the revision of the live rules in Redis is nothing that Tidegate writes: isolates that know the live rules still enforce them. The next write over the admin API mends it.";
const FOREIGN_ENTRIES =
  "the entries of the live rules in Redis are of a type that Tidegate does not write: no block, exemption or override by a single call is in force in a new isolate. The next one that is put takes its place.";

/** A clock that runs ahead by more is wrong, and what it wrote is not believed: nothing could be newer for as long. */
const MAX_AHEAD_MS = 86_400_000;

/** The revision of a state whose own is not believed: older than any that Tidegate writes. */
const UNKNOWN_REVISION = 1;

function revisionOf(given: unknown): number {
  if (given === null || given === undefined) return 0;
  return soundRevision(given) || UNKNOWN_REVISION;
}

function isForeign(given: unknown): boolean {
  return given !== null && given !== undefined && soundRevision(given) === 0;
}

const soundRevision = (given: unknown) => wholeUpTo((Date.now() + MAX_AHEAD_MS) * 1000, given);

/** A hash as Redis replies with it: fields and values in turn. */
function pairsOf(reply: unknown): Record<string, string> {
  if (!Array.isArray(reply)) return {};
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < reply.length; i += 2)
    pairs.push([String(reply[i]), String(reply[i + 1])]);
  return Object.fromEntries(pairs);
}
