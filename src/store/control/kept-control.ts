import { isRecord } from "../../options/record.ts";
import type { KeptValues } from "../kept-values.ts";
import type { KeptVersion } from "./control-store.ts";
import { keptRecords, type KeptText } from "./kept-records.ts";
import type { LiveState } from "./live-state.ts";
import { BY_GATEWAY, type Restored } from "./put-back.ts";
import { type KeptEntry, recordIn, type VersionHead } from "./records.ts";
import { MAX_ENTRIES, MAX_ENTRIES_BYTES, type Storage } from "./storage.ts";

/** The functions of `Of` without their promises: here no other caller is between a question and its answer. */
type AtOnce<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer
    : never;
};

/** The operations on control data, for people (`Storage`) and for isolates. */
export interface KeptControl extends AtOnce<Omit<Storage, "version">> {
  /** `undefined` if it has this revision, and this loss. */
  read(revision: number, lostAtMs: number): LiveState | undefined;
  /** The kept versions, newest first. */
  versions(): readonly number[];
  version(version: number): KeptVersion | undefined;
  /** Puts a state in the place of that with the revision `over`; returns whether that was still there. */
  putBack(over: number, restored: Restored): boolean;
}

/**
 * The control data of a gateway where one caller at a time writes: in a Durable Object, or in memory. It does what the scripts of
 * lua/live do in Redis.
 *
 * @param now in milliseconds since 1970
 */
export function keptControl(values: KeptValues, now: () => number): KeptControl {
  const records = keptRecords(values, now);

  return {
    read(revision, lostAtMs) {
      const { audited: _, ...state } = records.head();
      if (state.revision === revision && state.lostAtMs === lostAtMs) return undefined;
      return { ...state, entries: Object.fromEntries(records.entries()) };
    },

    versions: () => records.versions().map(({ version }) => version),

    version(version) {
      const kept = records.version(version);
      return kept && { version, document: recordIn(kept.text) };
    },

    putBack(over, { state, documents, audited }) {
      const before = records.head();
      if (before.revision !== over) return false;
      const { entries: held, misread: _, ...restored } = state;
      records.replace({ ...restored, audited: before.audited });
      for (const [field] of records.entries()) records.removeEntry(field);
      for (const [field, text] of Object.entries(held)) records.putEntry(field, text);
      for (const [version, { text, publishedAtMs: publishedAt }] of documents) {
        if (records.version(version) !== undefined) continue;
        records.keepVersion({ version, publishedAt, by: BY_GATEWAY, text });
      }
      records.audit(audited, state.version);
      return true;
    },

    rules() {
      const { version, publishedAtMs, document } = records.head();
      if (version === 0) return undefined;
      const kept = records.version(version);
      return {
        version,
        publishedAtMs,
        ...(kept && { by: kept.by }),
        document: recordIn(document),
      };
    },

    publish(document, based, audited, note) {
      const { version: stored } = records.head();
      if (stored !== based.on) return { done: false, version: stored };
      const version = Math.max(stored, based.known, records.newest()) + 1;
      const atMs = now();
      records.change({ version, publishedAtMs: atMs, document, lostAtMs: 0 });
      const { by } = audited;
      records.keepVersion({
        version,
        publishedAt: atMs,
        by,
        ...(note && { note }),
        text: document,
      });
      if (records.draft()?.text === document) records.dropDraft();
      records.audit(audited, version);
      return { done: true, version, atMs };
    },

    withdraw(version, audited) {
      const { version: stored } = records.head();
      if (stored !== version) return { done: false, version: stored };
      records.change({ version: 0, publishedAtMs: 0, document: undefined, lostAtMs: 0 });
      records.audit(audited);
      return { done: true, version: 0, atMs: now() };
    },

    saveDraft(document, basedOn, audited) {
      const { version } = records.head();
      if (basedOn !== undefined && version !== basedOn) return { done: false, version };
      const atMs = now();
      records.change({});
      records.keepDraft({ basedOn: version, savedAt: atMs, by: audited.by, text: document });
      records.audit(audited, version);
      return { done: true, version, atMs };
    },

    draft() {
      const kept = records.draft();
      if (!kept) return undefined;
      const { text, ...draft } = kept;
      return { ...draft, document: recordIn(text) };
    },

    history: () => ({
      current: records.head().version,
      versions: records.versions().map(headOf),
    }),

    putEntry(kind, id, entry, checkedWith, audited) {
      const { version } = records.head();
      if (checkedWith !== undefined && version !== checkedWith)
        return { kind: "outdated", version };
      const field = `${kind}:${id}`;
      const others = records.sweep().filter(([other]) => other !== field);
      const atMs = now();
      const text = JSON.stringify({ entry, at: atMs, by: audited.by });
      records.change({});
      const bytes = [...others, [field, text] as const].reduce(
        (sum, [name, value]) => sum + bytesOf(name) + bytesOf(value),
        0,
      );
      if (others.length >= MAX_ENTRIES || bytes > MAX_ENTRIES_BYTES) return { kind: "full" };
      records.putEntry(field, text);
      records.audit(audited);
      return { kind: "put", atMs };
    },

    removeEntry(kind, id, audited) {
      records.sweep();
      records.change({});
      if (!records.removeEntry(`${kind}:${id}`)) return false;
      records.audit(audited);
      return true;
    },

    entries: (kind) =>
      records.entries(`${kind}:`).flatMap(([field, text]) => {
        const kept = recordIn<KeptEntry>(text);
        return kept && isRecord(kept.entry) ? [{ ...kept, id: field.slice(kind.length + 1) }] : [];
      }),

    audit: records.audits,

    note(audited) {
      records.change({});
      records.audit(audited);
    },
  };
}

function headOf({ version, publishedAt, by, note }: KeptText): VersionHead {
  return { version, publishedAt, by, ...(note !== undefined && { note }) };
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
