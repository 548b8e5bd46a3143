import type { KeptValues } from "../kept-values.ts";
import { extended } from "./lineage.ts";
import { type LiveState, NO_STATE } from "./live-state.ts";
import { type AuditRecord, type Draft, recordIn, type VersionHead } from "./records.ts";
import { AUDIT_PAGE, type AuditedAction, MAX_AUDIT, MAX_VERSIONS } from "./storage.ts";
import type { Trial, TrialCounts } from "./trial.ts";

/** A kept version: its head, and the document as JSON. */
export type KeptText = VersionHead & { readonly text: string };

/** A draft with its document as JSON. */
export type DraftText = Omit<Draft, "document"> & { readonly text: string };

/** The state without its entries. */
export type Head = Omit<LiveState, "entries" | "misread" | "trial"> & {
  readonly audited: number;
  /** Its document is that of its version: a value that has two documents can be too large. */
  readonly trial?: Trial | undefined;
  readonly counts?: TrialCounts;
};

const NO_HEAD: Head = { ...NO_STATE, audited: 0 };
const STATE = "control state";
const DRAFT = "control draft";
const ENTRY = "control entry ";
const VERSION = "control version ";
const AUDIT = "control audit ";

/** Numbers of so many digits are in order as texts. */
const placed = (number: number) => String(number).padStart(16, "0");

/** The records of control data, and the bounds of their number. */
export interface KeptRecords {
  head(): Head;
  /** Changes the state, which gets a revision of its own. */
  change(changes: Partial<Head>): void;
  /** Puts a head in the place of the one there is, with its own revision. */
  replace(head: Head): void;
  /** The entries by single calls, each with its field; those of a kind by the beginning of that. */
  entries(kind?: string): readonly (readonly [field: string, text: string])[];
  /** Forgets entries that have ended, and gives the others. */
  sweep(): readonly (readonly [field: string, text: string])[];
  putEntry(field: string, text: string): void;
  /** Whether there was one. */
  removeEntry(field: string): boolean;
  /** Newest first. */
  versions(): readonly KeptText[];
  /** The number of the newest version; 0 if there is none. It reads no other one: together they have up to 45 MB. */
  newest(): number;
  version(version: number): KeptText | undefined;
  keepVersion(version: KeptText): void;
  draft(): DraftText | undefined;
  keepDraft(draft: DraftText): void;
  dropDraft(): void;
  audit(audited: AuditedAction, version?: number): void;
  /** The newest records before this one, newest first. */
  audits(before: number | undefined): readonly AuditRecord[];
}

/** @param now in milliseconds since 1970 */
export function keptRecords(values: KeptValues, now: () => number): KeptRecords {
  const head = () => (values.get(STATE) as Head | undefined) ?? NO_HEAD;
  const replace = (state: Head) => values.put(STATE, state);
  const list = <Value>(prefix: string, options: object = {}) =>
    Array.from(
      values.list({ prefix, ...options }),
      ([name, value]) => [name.slice(prefix.length), value as Value] as const,
    );
  const entries = (kind = "") =>
    list<string>(ENTRY + kind).map(([rest, text]) => [kind + rest, text] as const);
  const removeEntry = (field: string) => values.delete(ENTRY + field);

  return {
    head,
    replace,

    change(changes) {
      const before = head();
      const revision = Math.max(now() * 1000, before.revision + 1);
      const lineage = extended(before.lineage, revision);
      replace({ ...before, ...changes, revision, lineage });
    },

    entries,
    putEntry: (field, text) => values.put(ENTRY + field, text),
    removeEntry,

    sweep() {
      return entries().filter(([field, text]) => {
        const entry = recordIn<{ readonly entry?: unknown }>(text)?.entry;
        const { until } = Object(entry) as { readonly until?: unknown };
        const hasEnded = typeof until === "number" && until <= now();
        if (hasEnded) removeEntry(field);
        return !hasEnded;
      });
    },

    versions: () => list<KeptText>(VERSION, { reverse: true }).map(([, kept]) => kept),
    newest: () => Number(list(VERSION, { reverse: true, limit: 1 })[0]?.[0] ?? 0),
    version: (version) => values.get(VERSION + placed(version)) as KeptText | undefined,

    keepVersion(version) {
      values.put(VERSION + placed(version.version), version);
      for (const [name] of list(VERSION, { reverse: true }).slice(MAX_VERSIONS))
        values.delete(VERSION + name);
    },

    draft: () => values.get(DRAFT) as DraftText | undefined,
    keepDraft: (draft) => values.put(DRAFT, draft),
    dropDraft: () => void values.delete(DRAFT),

    audit(audited, version) {
      const before = head();
      const n = before.audited + 1;
      replace({ ...before, audited: n });
      const record = { n, at: now(), ...(version !== undefined && { version }), ...audited };
      values.put(AUDIT + placed(n), record satisfies AuditRecord);
      values.delete(AUDIT + placed(n - MAX_AUDIT));
    },

    audits: (before) =>
      list<AuditRecord>(AUDIT, {
        reverse: true,
        limit: AUDIT_PAGE,
        ...(before !== undefined && { end: AUDIT + placed(before) }),
      }).map(([, record]) => record),
  };
}
