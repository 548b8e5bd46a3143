import type { EntryKind } from "./live-state.ts";
import type {
  AuditRecord,
  Change,
  Draft,
  KeptEntry,
  PublishedDocument,
  VersionHead,
} from "./records.ts";
import type { Trial, TrialTerms } from "./trial.ts";

/** Enough to go back to, and not more than a Redis of the smallest plan has room for. */
export const MAX_VERSIONS = 50;
/** A year of 27 changes a day; with the longest differences some 25 MB. */
export const MAX_AUDIT = 10_000;
/** Records of the audit that are read at a time. */
export const AUDIT_PAGE = 500;
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

export type Written =
  | { readonly done: true; readonly version: number; readonly atMs: number }
  | { readonly done: false; readonly version: number };

/** The result of a change to an entry. */
export type PutEntry =
  | { readonly kind: "put"; readonly atMs: number }
  | { readonly kind: "outdated"; readonly version: number }
  | { readonly kind: "full" };

/** The control data of a gateway as people read and change it. Values that Tidegate did not write count as missing. */
export interface Storage {
  /** `undefined` where nothing is published, to nobody. */
  rules(): Promise<PublishedDocument | undefined>;
  /**
   * Publishes a document over the newest version, and takes that back if only a part of the clients had it.
   *
   * @param terms where only a part of the clients shall have it
   */
  publish(
    document: string,
    based: { readonly on: number; readonly known: number },
    audited: AuditedAction,
    note: string | undefined,
    terms?: TrialTerms,
  ): Promise<Written>;
  /** Gives the version that is tried to `percent` of the clients: 100 ends the trial, and 0 takes it back. */
  changeTrial(trial: Trial, audited: AuditedAction): Promise<Written>;
  /** Takes the published document back, and what is tried: the deployed rules are in force. */
  withdraw(version: number, audited: AuditedAction): Promise<Written>;
  saveDraft(
    document: string,
    basedOn: number | undefined,
    audited: AuditedAction,
  ): Promise<Written>;
  draft(): Promise<Draft | undefined>;
  /** The kept versions: the published one is `current`, and a part of the clients has `tried`; 0 for none. */
  history(): Promise<{
    readonly current: number;
    readonly tried: number;
    readonly versions: readonly VersionHead[];
  }>;
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
  /** The newest records, or the newest before one with this number; at most `AUDIT_PAGE`. */
  audit(before: number | undefined): Promise<readonly AuditRecord[]>;
  note(audited: AuditedAction): Promise<void>;
}

/**
 * The most bytes of a document, as UTF-8: what the smallest plans of hosted Redis take in one request, with room for the
 * rest of it.
 */
export const MAX_DOCUMENT_BYTES = 900_000;

/** Whether a text has more bytes of UTF-8 than this. They are counted only where its length does not tell. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A code unit of UTF-16 has at most three bytes.
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes;
}
