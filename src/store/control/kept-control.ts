import { isRecord } from "../../options/record.ts";
import type { KeptValues } from "../kept-values.ts";
import type { KeptVersion } from "./control-store.ts";
import { keptRecords, type KeptText } from "./kept-records.ts";
import { keptTrial, type TrialOperations } from "./kept-trial.ts";
import type { LiveState } from "./live-state.ts";
import { BY_GATEWAY, type Restored } from "./put-back.ts";
import { type KeptEntry, recordIn, type VersionHead } from "./records.ts";
import { MAX_ENTRIES, MAX_ENTRIES_BYTES, type Storage } from "./storage.ts";
import { newestOf, NO_COUNTS } from "./trial.ts";

/** The functions of `Of` without their promises: here no other caller is between a question and its answer. */
type AtOnce<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer
    : never;
};

/** The operations on control data, for people (`Storage`) and for isolates. */
export interface KeptControl
  extends AtOnce<Omit<Storage, "version" | "changeTrial">>, TrialOperations {
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
  const trials = keptTrial(records, now);

  return {
    changeTrial: trials.changeTrial,
    countTrial: trials.countTrial,

    read(revision, lostAtMs) {
      const { audited: _, counts: __, trial, ...state } = records.head();
      if (state.revision === revision && state.lostAtMs === lostAtMs) return undefined;
      return {
        ...state,
        ...(trial && {
          trial: { ...trial, document: records.version(trial.version)?.text ?? "" },
        }),
        entries: Object.fromEntries(records.entries()),
      };
    },

    versions: () =>
      records.versions().flatMap(({ version, takenBack }) => (takenBack ? [] : [version])),

    version(version) {
      const kept = records.version(version);
      return kept && { version, document: recordIn(kept.text) };
    },

    putBack(over, { state, documents, audited }) {
      const before = records.head();
      if (before.revision !== over) return false;
      const { entries: held, misread: _, trial: tried, ...restored } = state;
      const { document: __, ...trial } = tried ?? { document: undefined };
      records.replace({
        ...restored,
        ...(tried && { trial: trial as Omit<typeof tried, "document"> }),
        audited: before.audited,
      });
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
      const { version, publishedAtMs, document, trial, counts = NO_COUNTS } = records.head();
      if (version === 0 && !trial) return undefined;
      const kept = records.version(version);
      return {
        version,
        publishedAtMs,
        ...(kept && { by: kept.by }),
        document: recordIn(document),
        ...(trial && { trial: { ...trial, counts } }),
      };
    },

    publish(document, based, audited, note, terms) {
      const before = records.head();
      const stored = newestOf(before);
      if (stored !== based.on) return { done: false, version: stored };
      const version = Math.max(stored, based.known, records.newest()) + 1;
      const atMs = now();
      trials.takeBack(before);
      records.change({
        lostAtMs: 0,
        ...(terms
          ? { trial: { version, publishedAtMs: atMs, ...terms }, counts: NO_COUNTS }
          : { version, publishedAtMs: atMs, document, trial: undefined }),
      });
      const head = { version, publishedAt: atMs, by: audited.by, ...(note && { note }) };
      records.keepVersion({ ...head, text: document });
      if (records.draft()?.text === document) records.dropDraft();
      records.audit(audited, version);
      return { done: true, version, atMs };
    },

    withdraw(version, audited) {
      const before = records.head();
      const newest = newestOf(before);
      if (newest !== version) return { done: false, version: newest };
      trials.takeBack(before);
      const withdrawn = { version: 0, publishedAtMs: 0, document: undefined, lostAtMs: 0 };
      records.change({ ...withdrawn, trial: undefined });
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
      tried: records.head().trial?.version ?? 0,
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

function headOf(version: KeptText): VersionHead {
  const { text: _, ...head } = version;
  return head;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
