import { type LiveKeys, liveKeys } from "../../live/keys.ts";
import type { Connection } from "./connection.ts";
import {
  type AuditRecord,
  type Draft,
  fieldsOf,
  type KeptEntry,
  parseRecord,
  type Published,
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

/** Enough to go back to, and not more than a Redis of the smallest plan has room for. */
const MAX_VERSIONS = 50;
const MAX_AUDIT = 500;
/** Every isolate holds them all in memory, and reads them with one command. */
export const MAX_ENTRIES = 10_000;
export const MAX_ENTRIES_BYTES = 2_000_000;

/** Which entries one field belongs to. */
export type EntryKind = "allow" | "deny" | "override";

/** Who does something, and what, for the audit. */
export interface Deed {
  readonly by: string;
  readonly action: string;
  readonly changes?: readonly unknown[];
  /** How many changes are left out, because there are too many to keep. */
  readonly omitted?: number;
}

/** What came of a write that is based on a version. */
export type Written =
  | { readonly done: true; readonly version: number; readonly atMs: number }
  | { readonly done: false; readonly version: number };

/** What Redis keeps of live rules, from one request. */
export interface Storage {
  rules(): Promise<Published | undefined>;
  publish(
    document: string,
    based: { readonly on: number; readonly known: number },
    deed: Deed,
    note: string | undefined,
  ): Promise<Written>;
  saveDraft(document: string, basedOn: number | undefined, deed: Deed): Promise<Written>;
  draft(): Promise<Draft | undefined>;
  history(): Promise<{ readonly current: number; readonly versions: readonly VersionHead[] }>;
  /** The document of a kept version. */
  version(version: number): Promise<{ readonly document: unknown } | undefined>;
  /** When the entry was put; `undefined` if there are too many. */
  putEntry(kind: EntryKind, id: string, entry: object, deed: Deed): Promise<number | undefined>;
  /** Whether there was one. */
  removeEntry(kind: EntryKind, id: string, deed: Deed): Promise<boolean>;
  entries(kind: EntryKind): Promise<readonly (KeptEntry & { readonly id: string })[]>;
  audit(): Promise<readonly AuditRecord[]>;
  note(deed: Deed): Promise<void>;
}

export function storageOf({ run, ask }: Connection, prefix: string): Storage {
  const keys: LiveKeys = liveKeys(prefix);
  const { state, entries, history, draft, audit } = keys;

  return {
    async rules() {
      const [version, publishedAt, document, head] = await run(READ_RULES, [state, history], []);
      if (version === "") return undefined;
      return {
        version: Number(version),
        publishedAtMs: Number(publishedAt),
        ...(head !== "" && { by: parseRecord<VersionHead>(String(head)).by }),
        document: parseRecord(String(document)),
      };
    },

    async publish(document, based, deed, note) {
      const { by } = deed;
      return writtenBy(
        await run(
          PUBLISH,
          [state, history, draft, audit],
          [
            based.on,
            based.known,
            document,
            fieldsOf({ by, note }),
            fieldsOf(deed),
            MAX_VERSIONS,
            MAX_AUDIT,
          ],
        ),
      );
    },

    async saveDraft(document, basedOn, deed) {
      const { by } = deed;
      const args = [basedOn ?? "", document, fieldsOf({ by }), fieldsOf(deed), MAX_AUDIT];
      return writtenBy(await run(DRAFT, [state, draft, audit], args));
    },

    async draft() {
      const text = await ask<string | null>((redis) => redis.get(draft));
      return text === null ? undefined : parseRecord<Draft>(text);
    },

    async history() {
      const [current, ...heads] = await run(READ_HISTORY, [state, history], []);
      const versions = heads.map((head) => parseRecord<VersionHead>(String(head)));
      return {
        current: Number(current),
        versions: versions.sort((one, other) => other.version - one.version),
      };
    },

    async version(version) {
      const text = await ask<string | null>((redis) => redis.hget(history, String(version)));
      return text === null ? undefined : parseRecord<{ document: unknown }>(text);
    },

    async putEntry(kind, id, entry, deed) {
      const field = `${kind}:${id}`;
      const { by } = deed;
      const [put, atMs] = await run(
        PUT_ENTRY,
        [state, entries, audit],
        [
          field,
          JSON.stringify(entry),
          fieldsOf({ by }),
          fieldsOf(deed),
          MAX_ENTRIES,
          MAX_ENTRIES_BYTES,
          MAX_AUDIT,
        ],
      );
      return put === 1 ? Number(atMs) : undefined;
    },

    async removeEntry(kind, id, deed) {
      const args = [`${kind}:${id}`, fieldsOf(deed), MAX_AUDIT];
      const [removed] = await run(REMOVE_ENTRY, [state, entries, audit], args);
      return removed === 1;
    },

    async entries(kind) {
      const flat = await ask<readonly string[]>((redis) => redis.hgetall(entries));
      const found: (KeptEntry & { id: string })[] = [];
      for (let at = 0; at < flat.length; at += 2) {
        const [of, id] = flat[at]!.split(":", 2);
        if (of === kind)
          found.push(Object.assign(parseRecord<KeptEntry>(flat[at + 1]!), { id: id! }));
      }
      return found;
    },

    async audit() {
      const texts = await ask<readonly string[]>((redis) => redis.lrange(audit, 0, -1));
      return texts.map((text) => parseRecord<AuditRecord>(text));
    },

    async note(deed) {
      await run(NOTE, [state, audit], [fieldsOf(deed), MAX_AUDIT]);
    },
  };
}

function writtenBy([done, version, atMs]: readonly (number | string)[]): Written {
  return done === 1
    ? { done: true, version: Number(version), atMs: Number(atMs) }
    : { done: false, version: Number(version) };
}
