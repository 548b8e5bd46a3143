import { type LiveKeys, liveKeys } from "../gateway/live/live-keys.ts";
import type { EntryKind } from "../gateway/live/live-state.ts";
import { MAX_VERSION, wholeUpTo } from "../gateway/live/versions.ts";
import { isRecord } from "../options/record.ts";
import type { Change } from "./answer-parts.ts";
import {
  type AuditRecord,
  auditRecordIn,
  type Draft,
  draftIn,
  fieldsOf,
  headIn,
  type KeptEntry,
  type PublishedDocument,
  recordIn,
  type VersionHead,
} from "./records.ts";
import {
  DRAFT,
  NOTE,
  PUBLISH,
  PUT_ENTRY,
  READ_HISTORY,
  READ_RULES,
  REMOVE_ENTRY,
} from "./scripts.generated.ts";
import type { Connection } from "./storage-connection.ts";

/** Enough to go back to, and not more than a Redis of the smallest plan has room for. */
const MAX_VERSIONS = 50;
const MAX_AUDIT = 500;
/** Every isolate holds them all in memory, and reads them with one command. */
export const MAX_ENTRIES = 10_000;
export const MAX_ENTRIES_BYTES = 2_000_000;

/** The author and the action, for the audit. */
export interface AuditedAction {
  readonly by: string;
  readonly action: string;
  readonly changes?: readonly Change[];
  /** How many changes are left out, because there are too many to keep. */
  readonly omitted?: number;
}

/** The result of a write that is based on a version. */
export type Written =
  | { readonly done: true; readonly version: number; readonly atMs: number }
  | { readonly done: false; readonly version: number };

/** The result of a change to an entry. */
export type PutEntry =
  | { readonly kind: "put"; readonly atMs: number }
  | { readonly kind: "outdated"; readonly version: number }
  | { readonly kind: "full" };

/** The last moment that a date can be. */
const MAX_MOMENT_MS = 8.64e15;

/** The live rules in Redis, for one request. Values that Tidegate did not write count as missing. */
export interface Storage {
  rules(): Promise<PublishedDocument | undefined>;
  publish(
    document: string,
    based: { readonly on: number; readonly known: number },
    audited: AuditedAction,
    note: string | undefined,
  ): Promise<Written>;
  saveDraft(
    document: string,
    basedOn: number | undefined,
    audited: AuditedAction,
  ): Promise<Written>;
  draft(): Promise<Draft | undefined>;
  history(): Promise<{ readonly current: number; readonly versions: readonly VersionHead[] }>;
  /** The document of a kept version. */
  version(version: number): Promise<{ readonly document: unknown } | undefined>;
  /** Puts an entry, if the published version is still the one that it was checked with; `undefined` for any version. */
  putEntry(
    kind: EntryKind,
    id: string,
    entry: object,
    checkedWith: number | undefined,
    audited: AuditedAction,
  ): Promise<PutEntry>;
  /** Whether there was one. */
  removeEntry(kind: EntryKind, id: string, audited: AuditedAction): Promise<boolean>;
  entries(kind: EntryKind): Promise<readonly (KeptEntry & { readonly id: string })[]>;
  audit(): Promise<readonly AuditRecord[]>;
  note(audited: AuditedAction): Promise<void>;
}

export function storageOf({ run, ask }: Connection, prefix: string): Storage {
  const keys: LiveKeys = liveKeys(prefix);
  const { state, entries, history, draft, audit } = keys;

  return {
    async rules() {
      const [versionText, publishedAt, document, head] = await run(
        READ_RULES,
        [state, history],
        [],
      );
      const version = wholeUpTo(MAX_VERSION, versionText);
      if (version === 0) return undefined;
      const by = recordIn<VersionHead>(head)?.by;
      return {
        version,
        publishedAtMs: wholeUpTo(MAX_MOMENT_MS, publishedAt),
        ...(by !== undefined && { by }),
        document: recordIn(document),
      };
    },

    async publish(document, based, audited, note) {
      const { by } = audited;
      return writtenBy(
        await run(
          PUBLISH,
          [state, history, draft, audit],
          [
            based.on,
            based.known,
            document,
            fieldsOf({ by, note }),
            fieldsOf(audited),
            MAX_VERSIONS,
            MAX_AUDIT,
          ],
        ),
      );
    },

    async saveDraft(document, basedOn, audited) {
      const { by } = audited;
      const args = [basedOn ?? "", document, fieldsOf({ by }), fieldsOf(audited), MAX_AUDIT];
      return writtenBy(await run(DRAFT, [state, draft, audit], args));
    },

    async draft() {
      return draftIn(await ask<string | null>(["GET", draft]));
    },

    async history() {
      const [current, ...heads] = await run(READ_HISTORY, [state, history], []);
      const versions = heads.flatMap((head) => headIn(head) ?? []);
      return {
        current: wholeUpTo(MAX_VERSION, current),
        versions: versions.sort((one, other) => other.version - one.version),
      };
    },

    async version(version) {
      const text = await ask<string | null>(["HGET", history, version]);
      return recordIn<{ document: unknown }>(text);
    },

    async putEntry(kind, id, entry, checkedWith, audited) {
      const field = `${kind}:${id}`;
      const { by } = audited;
      const [put, number] = await run(
        PUT_ENTRY,
        [state, entries, audit],
        [
          field,
          JSON.stringify(entry),
          fieldsOf({ by }),
          fieldsOf(audited),
          MAX_ENTRIES,
          MAX_ENTRIES_BYTES,
          MAX_AUDIT,
          checkedWith ?? "",
        ],
      );
      if (put === 1) return { kind: "put", atMs: Number(number) };
      return put === 2 ? { kind: "outdated", version: Number(number) } : { kind: "full" };
    },

    async removeEntry(kind, id, audited) {
      const args = [`${kind}:${id}`, fieldsOf(audited), MAX_AUDIT];
      const [removed] = await run(REMOVE_ENTRY, [state, entries, audit], args);
      return removed === 1;
    },

    async entries(kind) {
      const flat = await ask<readonly string[]>(["HGETALL", entries]);
      const found: (KeptEntry & { id: string })[] = [];
      for (let at = 0; at < flat.length; at += 2) {
        const [of, id] = flat[at]!.split(":", 2);
        const kept = of === kind ? recordIn<KeptEntry>(flat[at + 1]) : undefined;
        // Without its author it is in force all the same.
        if (kept && isRecord(kept.entry)) found.push({ ...kept, by: String(kept.by), id: id! });
      }
      return found;
    },

    async audit() {
      const texts = await ask<readonly string[]>(["LRANGE", audit, 0, -1]);
      return texts.flatMap((text) => auditRecordIn(text) ?? []);
    },

    async note(audited) {
      await run(NOTE, [state, audit], [fieldsOf(audited), MAX_AUDIT]);
    },
  };
}

function writtenBy([done, version, atMs]: readonly (number | string)[]): Written {
  return done === 1
    ? { done: true, version: Number(version), atMs: Number(atMs) }
    : { done: false, version: Number(version) };
}
