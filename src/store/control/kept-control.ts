import { isRecord } from "../../options/record.ts";
import type { KeptVersion } from "./control-store.ts";
import { extended } from "./lineage.ts";
import { type LiveState, NO_STATE } from "./live-state.ts";
import { BY_GATEWAY, type Restored } from "./put-back.ts";
import {
  type AuditRecord,
  type Draft,
  type KeptEntry,
  recordIn,
  type VersionHead,
} from "./records.ts";
import {
  AUDIT_PAGE,
  type AuditedAction,
  MAX_AUDIT,
  MAX_ENTRIES,
  MAX_ENTRIES_BYTES,
  MAX_VERSIONS,
  type Storage,
} from "./storage.ts";
import {
  exceedsBound,
  NO_COUNTS,
  type SideCounts,
  takenBackBy,
  type Trial,
  type TrialCounts,
} from "./trial.ts";

/** Names and values in order, as a Durable Object keeps them. */
export interface ControlStorage {
  get(name: string): unknown;
  put(name: string, value: unknown): void;
  delete(name: string): boolean;
  list(options: {
    readonly prefix: string;
    readonly reverse?: boolean;
    readonly limit?: number;
    readonly end?: string;
  }): Iterable<readonly [string, unknown]>;
}

/** A kept version: its head, and the document as JSON. */
type Version = VersionHead & { readonly text: string };

/** What the state is besides its entries. */
type Head = Omit<LiveState, "entries" | "misread" | "trial"> & {
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
  /** Adds decisions to those of a trial; returns whether its version is taken back because of them. */
  countTrial(version: number, counts: TrialCounts): boolean;
}

/**
 * The control data of a gateway where one caller at a time writes: in a Durable Object, or in memory. It does what the scripts of
 * lua/live do in Redis.
 *
 * @param now in milliseconds since 1970
 */
export function keptControl(storage: ControlStorage, now: () => number): KeptControl {
  const head = () => (storage.get(STATE) as Head | undefined) ?? NO_HEAD;
  const list = <Value>(prefix: string, options: object = {}) =>
    Array.from(
      storage.list({ prefix, ...options }),
      ([name, value]) => [name.slice(prefix.length), value as Value] as const,
    );
  const entries = () => list<string>(ENTRY);

  /** Writes a state, whose revision it makes. */
  function write(changes: Partial<Head>): void {
    const before = head();
    const revision = Math.max(now() * 1000, before.revision + 1);
    const lineage = extended(before.lineage, revision);
    storage.put(STATE, { ...before, ...changes, revision, lineage } satisfies Head);
  }

  function audit(audited: AuditedAction, version?: number): void {
    const before = head();
    const n = before.audited + 1;
    storage.put(STATE, { ...before, audited: n });
    const record = { n, at: now(), ...(version !== undefined && { version }), ...audited };
    storage.put(AUDIT + placed(n), record satisfies AuditRecord);
    storage.delete(AUDIT + placed(n - MAX_AUDIT));
  }

  function keepVersion(version: Version): void {
    storage.put(VERSION + placed(version.version), version);
    for (const [name] of list(VERSION, { reverse: true }).slice(MAX_VERSIONS))
      storage.delete(VERSION + name);
  }

  /** What ends a trial. Its version stays in the history, marked, so that no isolate falls back to it. */
  function takeBack({ trial }: Head): Partial<Head> {
    const kept = trial && (storage.get(VERSION + placed(trial.version)) as Version | undefined);
    if (kept) storage.put(VERSION + placed(kept.version), { ...kept, takenBack: true });
    return { trial: undefined };
  }

  /** Forgets entries that have ended, and gives the others. */
  function sweep(): (readonly [string, string])[] {
    return entries().filter(([field, text]) => {
      const entry = recordIn<{ readonly entry?: unknown }>(text)?.entry;
      const { until } = Object(entry) as { readonly until?: unknown };
      const hasEnded = typeof until === "number" && until <= now();
      if (hasEnded) storage.delete(ENTRY + field);
      return !hasEnded;
    });
  }

  return {
    read(revision, lostAtMs) {
      const { audited: _, counts: __, trial, ...state } = head();
      if (state.revision === revision && state.lostAtMs === lostAtMs) return undefined;
      const tried = trial && (storage.get(VERSION + placed(trial.version)) as Version | undefined);
      return {
        ...state,
        ...(trial && { trial: { ...trial, document: tried?.text ?? "" } }),
        entries: Object.fromEntries(entries()),
      };
    },

    versions: () =>
      list<Version>(VERSION, { reverse: true }).flatMap(([, { version, takenBack }]) =>
        takenBack ? [] : [version],
      ),

    version(version) {
      const kept = storage.get(VERSION + placed(version)) as Version | undefined;
      return kept && { version, document: recordIn(kept.text) };
    },

    putBack(over, { state, documents, audited }) {
      const before = head();
      if (before.revision !== over) return false;
      const { entries: held, misread: _, trial: tried, ...restored } = state;
      const { document: __, ...trial } = tried ?? { document: undefined };
      const kept = { ...restored, ...(tried && { trial: trial as Trial }) };
      storage.put(STATE, { ...kept, audited: before.audited } satisfies Head);
      for (const [field] of entries()) storage.delete(ENTRY + field);
      for (const [field, text] of Object.entries(held)) storage.put(ENTRY + field, text);
      for (const [version, { text, publishedAtMs: publishedAt }] of documents) {
        if (storage.get(VERSION + placed(version)) !== undefined) continue;
        keepVersion({ version, publishedAt, by: BY_GATEWAY, text });
      }
      audit(audited, state.version);
      return true;
    },

    rules() {
      const { version, publishedAtMs, document, trial, counts = NO_COUNTS } = head();
      if (version === 0 && !trial) return undefined;
      const kept = storage.get(VERSION + placed(version)) as Version | undefined;
      return {
        version,
        publishedAtMs,
        ...(kept && { by: kept.by }),
        document: recordIn(document),
        ...(trial && { trial: { ...trial, counts } }),
      };
    },

    publish(document, based, audited, note, terms) {
      const before = head();
      const stored = newestOf(before);
      if (stored !== based.on) return { done: false, version: stored };
      const [newest = "0"] = list(VERSION, { reverse: true, limit: 1 }).map(([n]) => n);
      const version = Math.max(stored, based.known, Number(newest)) + 1;
      const atMs = now();
      write({
        lostAtMs: 0,
        ...takeBack(before),
        ...(terms
          ? { trial: { version, publishedAtMs: atMs, ...terms }, counts: NO_COUNTS }
          : { version, publishedAtMs: atMs, document }),
      });
      const { by } = audited;
      keepVersion({ version, publishedAt: atMs, by, ...(note && { note }), text: document });
      const draft = storage.get(DRAFT) as (Draft & { readonly text: string }) | undefined;
      if (draft?.text === document) storage.delete(DRAFT);
      audit(audited, version);
      return { done: true, version, atMs };
    },

    changeTrial({ version, percent, ...terms }, audited) {
      const before = head();
      const { trial } = before;
      if (trial?.version !== version) return { done: false, version: newestOf(before) };
      const atMs = now();
      if (percent === 0) write(takeBack(before));
      else if (percent < 100) write({ trial: { ...terms, version, percent }, counts: NO_COUNTS });
      else {
        const { text } = storage.get(VERSION + placed(version)) as Version;
        const published = { version, publishedAtMs: atMs, document: text };
        write({ ...published, trial: undefined, lostAtMs: 0 });
      }
      const given = percent === 0 ? before.version : version;
      audit(audited, given);
      return { done: true, version: given, atMs };
    },

    countTrial(version, { tried, others }) {
      const before = head();
      const { trial, counts = NO_COUNTS } = before;
      if (trial?.version !== version) return false;
      const sum = { tried: added(counts.tried, tried), others: added(counts.others, others) };
      storage.put(STATE, { ...before, counts: sum } satisfies Head);
      if (!exceedsBound(sum.tried, trial)) return false;
      write(takeBack(before));
      const changes = [{ type: "removed", path: "trial", before: sum.tried }] as const;
      audit({ ...takenBackBy(BY_GATEWAY, trial), changes }, before.version);
      return true;
    },

    withdraw(version, audited) {
      const before = head();
      const newest = newestOf(before);
      if (newest !== version) return { done: false, version: newest };
      const withdrawn = { version: 0, publishedAtMs: 0, document: undefined, lostAtMs: 0 };
      write({ ...takeBack(before), ...withdrawn });
      audit(audited);
      return { done: true, version: 0, atMs: now() };
    },

    saveDraft(document, basedOn, audited) {
      const { version } = head();
      if (basedOn !== undefined && version !== basedOn) return { done: false, version };
      const atMs = now();
      write({});
      const { by } = audited;
      storage.put(DRAFT, { basedOn: version, savedAt: atMs, by, text: document });
      audit(audited, version);
      return { done: true, version, atMs };
    },

    draft() {
      const kept = storage.get(DRAFT) as (Omit<Draft, "document"> & { text: string }) | undefined;
      if (!kept) return undefined;
      const { text, ...draft } = kept;
      return { ...draft, document: recordIn(text) };
    },

    history: () => ({
      current: head().version,
      tried: head().trial?.version ?? 0,
      versions: list<Version>(VERSION, { reverse: true }).map(([, kept]) => headOf(kept)),
    }),

    putEntry(kind, id, entry, checkedWith, audited) {
      const { version } = head();
      if (checkedWith !== undefined && version !== checkedWith)
        return { kind: "outdated", version };
      const field = `${kind}:${id}`;
      const others = sweep().filter(([other]) => other !== field);
      const atMs = now();
      const text = JSON.stringify({ entry, at: atMs, by: audited.by });
      write({});
      const bytes = [...others, [field, text] as const].reduce(
        (sum, [name, value]) => sum + bytesOf(name) + bytesOf(value),
        0,
      );
      if (others.length >= MAX_ENTRIES || bytes > MAX_ENTRIES_BYTES) return { kind: "full" };
      storage.put(ENTRY + field, text);
      audit(audited);
      return { kind: "put", atMs };
    },

    removeEntry(kind, id, audited) {
      sweep();
      write({});
      if (!storage.delete(`${ENTRY}${kind}:${id}`)) return false;
      audit(audited);
      return true;
    },

    entries: (kind) =>
      list<string>(`${ENTRY}${kind}:`).flatMap(([id, text]) => {
        const kept = recordIn<KeptEntry>(text);
        return kept && isRecord(kept.entry) ? [{ ...kept, id }] : [];
      }),

    audit: (before) =>
      list<AuditRecord>(AUDIT, {
        reverse: true,
        limit: AUDIT_PAGE,
        ...(before !== undefined && { end: AUDIT + placed(before) }),
      }).map(([, record]) => record),

    note(audited) {
      write({});
      audit(audited);
    },
  };
}

function newestOf({ version, trial }: Head): number {
  return trial?.version ?? version;
}

function headOf(version: Version): VersionHead {
  const { text: _, ...head } = version;
  return head;
}

function added(one: SideCounts, other: SideCounts): SideCounts {
  return { decided: one.decided + other.decided, denied: one.denied + other.denied };
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
