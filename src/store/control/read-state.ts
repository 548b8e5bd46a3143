import type { SendCommand } from "../redis/rest.ts";
import type { ReadState } from "./control-store.ts";
import type { LiveKeys } from "./live-keys.ts";
import { type LiveState, NO_STATE } from "./live-state.ts";
import { MAX_VERSION, trialIn, wholeUpTo } from "./records.ts";
import { MAX_DOCUMENT_BYTES } from "./storage.ts";

/**
 * Reads the live rules from Redis: one command if nothing was written since the last time, else three. The document and
 * its version are fields of one hash, so that they always belong together.
 *
 * @throws StoreError if Redis gives no usable answer
 */
export function stateReader(send: SendCommand, { state, entries }: LiveKeys): ReadState {
  return async function readState(known) {
    const reply = await send(["HMGET", state, "revision", "version", "lostAt"]);
    const found: readonly unknown[] = Array.isArray(reply) ? reply : [];
    const { revision, misread } = revisionOf(found);
    const lostAtMs = wholeUpTo(Number.MAX_SAFE_INTEGER, found[2]);
    if (revision === known.revision) {
      const isSame = misread === known.misread && lostAtMs === known.lostAtMs;
      return isSame ? known : { ...known, misread, lostAtMs };
    }
    // An older copy, or none: whoever wants its document asks as if nothing was known.
    if (revision < known.revision) return { ...NO_STATE, revision, misread };
    const fields = pairsOf(await send(["HGETALL", state]));
    // Read after the state, so that they are at least as new; entries written in between are read the next time.
    const own = await readEntries();
    const { document, trialDocument = "" } = fields;
    const trial = trialIn(fields["trial"], fields["trialTerms"]);
    return {
      revision: revisionOf([fields["revision"], fields["version"]]).revision,
      lineage: fields["lineage"] ?? "",
      lostAtMs: wholeUpTo(Number.MAX_SAFE_INTEGER, fields["lostAt"]),
      version: wholeUpTo(MAX_VERSION, fields["version"]),
      publishedAtMs: wholeUpTo(Number.MAX_SAFE_INTEGER, fields["publishedAt"]),
      document: document === undefined ? undefined : bounded(document),
      ...(trial && { trial: { ...trial, document: bounded(trialDocument) } }),
      // A blocked client stays blocked if earlier entries are known.
      entries: own ?? known.entries,
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
  "the revision of the live rules in Redis is nothing that Tidegate writes, or is gone: isolates that know the live rules still enforce them. The next write over the admin API mends it.";
const FOREIGN_ENTRIES =
  "the entries of the live rules in Redis are of a type that Tidegate does not write: no block, exemption or override by a single call is in force in a new isolate. Isolates that know them still enforce them: `tidegate rules pull --held` reads what an isolate still holds. Another program uses the key: delete it if no program needs it, or give the gateway another PREFIX.";

/** A clock that runs ahead by more is wrong, and what it wrote is not believed: nothing could be newer for as long. */
const MAX_AHEAD_MS = 86_400_000;

/** The revision of a state whose own is not believed: older than any that Tidegate writes. */
const UNKNOWN_REVISION = 1;

/** The revision, and its fault. If only the revision is gone, the document beside it is still enforced. */
function revisionOf([revisionText, version]: readonly unknown[]): Pick<
  LiveState,
  "revision" | "misread"
> {
  const isGone = revisionText === null || revisionText === undefined;
  if (isGone && (version === null || version === undefined)) return { revision: 0 };
  const revision = isGone ? 0 : soundRevision(revisionText);
  return revision > 0 ? { revision } : { revision: UNKNOWN_REVISION, misread: FOREIGN_REVISION };
}

const soundRevision = (value: unknown) => wholeUpTo((Date.now() + MAX_AHEAD_MS) * 1000, value);

/** A longer text was written by another program, and is refused: each character has at least one byte. */
const bounded = (text: string) => text.slice(0, MAX_DOCUMENT_BYTES + 1);

/** A hash as Redis replies with it: fields and values in turn. */
function pairsOf(reply: unknown): Record<string, string> {
  if (!Array.isArray(reply)) return {};
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < reply.length; i += 2)
    pairs.push([String(reply[i]), String(reply[i + 1])]);
  return Object.fromEntries(pairs);
}
