import { goesOnFrom, hasPassed, isTraced, joined } from "./lineage.ts";
import type { LiveState } from "./live-state.ts";
import type { AuditedAction } from "./storage.ts";
import { newestOf } from "./trial.ts";

/** The data that a gateway writes over a store that has lost some. */
export interface Restored {
  readonly state: LiveState;
  /** The documents that the history has to have, by their versions. */
  readonly documents: ReadonlyMap<
    number,
    { readonly text: string; readonly publishedAtMs: number }
  >;
  readonly audited: AuditedAction;
}

/** The author of what a gateway puts back. */
export const BY_GATEWAY = "gateway";

/** Whether a store has lost what an isolate holds. A state with values that Tidegate does not write says nothing of that. */
export function hasLost(stored: LiveState, held: LiveState): boolean {
  if (held.revision === 0 || stored.misread !== undefined) return false;
  if (stored.revision === held.revision) return false;
  return stored.revision < held.revision || !goesOnFrom(stored, held);
}

/**
 * Makes the state to write over one that lacks data which an isolate holds. A wiped store, or an older copy, gets the held state as it
 * was, with its own revision: of two isolates that do this, the one that holds more prevails, whoever is first. If a write
 * came since the loss, both sides stay: their entries together, and the later published of two documents.
 */
export function restoredOver(stored: LiveState, held: LiveState, nowMs: number): Restored {
  if (isOlderCopy(stored, held)) {
    const lineage = stored.revision === 0 ? held.lineage : joined([stored, held]);
    return restored({ ...held, lineage, lostAtMs: nowMs }, [held]);
  }
  const isHeldLast =
    held.version > 0 && (stored.version === 0 || held.publishedAtMs >= stored.publishedAtMs);
  const [last, first] = isHeldLast ? [held, stored] : [stored, held];
  // Two documents never share a number, and the one in force has the higher.
  const before = newestOf(first);
  const version = last.version > before ? last.version : before + 1;
  const published = { ...last, version: last.version === 0 ? 0 : version };
  const revision = Math.max(stored.revision, held.revision) + 1;
  const state: LiveState = {
    revision,
    lineage: joined([stored, held, { lineage: "", revision }]),
    lostAtMs: nowMs,
    version: published.version,
    publishedAtMs: published.publishedAtMs,
    document: published.document,
    // A version is tried beside the one that it was published over.
    trial: version === last.version ? last.trial : undefined,
    entries: { ...held.entries, ...stored.entries },
  };
  return restored(state, [first, state]);
}

function restored(state: LiveState, documents: readonly LiveState[]): Restored {
  const entries = Object.keys(state.entries).length;
  const changes = [{ type: "added", path: "entries", after: entries }] as const;
  return {
    state,
    documents: documentsOf(documents),
    audited: { by: BY_GATEWAY, action: "restore", ...(entries > 0 && { changes }) },
  };
}

function isOlderCopy(stored: LiveState, held: LiveState): boolean {
  const { revision, version } = stored;
  if (revision === 0) return true;
  if (revision > held.revision) return false;
  return isTraced(stored) ? hasPassed(held.lineage, revision) : version <= held.version;
}

function documentsOf(states: readonly LiveState[]): Restored["documents"] {
  return new Map(
    states
      .flatMap((state) => (state.trial ? [state, state.trial] : [state]))
      .flatMap(({ version, document: text, publishedAtMs }) =>
        version > 0 && text !== undefined ? [[version, { text, publishedAtMs }] as const] : [],
      ),
  );
}
