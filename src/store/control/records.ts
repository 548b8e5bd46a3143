import { isRecord } from "../../options/record.ts";
import type { Trial, TrialCounts } from "./trial.ts";

/** One difference between two documents. */
export interface Change {
  readonly type: "added" | "removed" | "changed";
  /** The place: `rules[0].policies[0].limit`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A version that is tried, as people read it. */
export interface PublishedTrial extends Trial {
  /** Decisions since its share of the clients was set. */
  readonly counts: TrialCounts;
}

export interface PublishedDocument {
  /** From 1; 0 without a publication. */
  readonly version: number;
  readonly publishedAtMs: number;
  readonly by?: string;
  /** `undefined` where Redis has no document for the version. */
  readonly document: unknown;
  /** A newer version, which only a part of the clients has. */
  readonly trial?: PublishedTrial;
}

/** A kept version without its document. */
export interface VersionHead {
  readonly version: number;
  readonly publishedAt: number;
  readonly by: string;
  readonly note?: string;
  /** Whether only a part of the clients had it. */
  readonly takenBack?: boolean;
}

export interface Draft {
  readonly basedOn: number;
  readonly savedAt: number;
  readonly by: string;
  readonly document: unknown;
}

/** An entry that a single call made. */
export interface KeptEntry {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly at: number;
  readonly by: string;
}

export interface AuditRecord {
  /** One more than that of the record before. */
  readonly n: number;
  readonly at: number;
  readonly by: string;
  readonly action: string;
  readonly version?: number;
  readonly changes?: readonly Change[];
  /** How many changes are left out. */
  readonly omitted?: number;
}

/** JSON that a script wrote; `undefined` of anything else. */
export function recordIn<Kind extends object>(text: unknown): Kind | undefined {
  try {
    const record: unknown = JSON.parse(String(text));
    return isRecord(record) ? (record as Kind) : undefined;
  } catch {
    return undefined;
  }
}

export function draftIn(text: unknown): Draft | undefined {
  const draft = recordIn<Draft>(text);
  return draft && Number.isSafeInteger(draft.basedOn) ? draft : undefined;
}

/** The head of a kept version; `undefined` of anything else. */
export function headIn(text: unknown): VersionHead | undefined {
  const head = recordIn<VersionHead>(text);
  const isKept = head && wholeUpTo(MAX_VERSION, head.version) === head.version;
  return isKept && typeof head.by === "string" ? head : undefined;
}

/** The audit's record of one write; `undefined` if it is invalid. */
export function auditRecordIn(text: unknown): AuditRecord | undefined {
  const record = recordIn<AuditRecord>(text);
  const isWhole =
    typeof record?.by === "string" &&
    typeof record.action === "string" &&
    Number.isSafeInteger(record.n);
  return isWhole ? record : undefined;
}

/** The fields of a record as a script takes them: JSON without the braces around it. */
export function fieldsOf(record: object): string {
  return JSON.stringify(record).slice(1, -1);
}

/** More publications than any gateway has. A higher number was not written by Tidegate, and leaves no room to count. */
export const MAX_VERSION = 1_000_000_000;

/** The whole number that Redis has as a text; 0 for anything else than one from 1 to `most`. */
export function wholeUpTo(most: number, text: unknown): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 && number <= most ? number : 0;
}

/** The trial that Redis has; `undefined` without one. A version whose terms Tidegate did not write has no clients. */
export function trialIn(versionText: unknown, termsText: unknown): Trial | undefined {
  const version = wholeUpTo(MAX_VERSION, versionText);
  if (version === 0) return undefined;
  const { publishedAt, percent, maxDenied } = Object(recordIn(termsText)) as Record<
    string,
    unknown
  >;
  return {
    version,
    publishedAtMs: wholeUpTo(Number.MAX_SAFE_INTEGER, publishedAt),
    percent: wholeUpTo(99, percent),
    ...(typeof maxDenied === "number" && { maxDenied }),
  };
}

/** The terms of a trial as Redis has them. */
export function termsTextOf({ publishedAtMs: publishedAt, percent, maxDenied }: Trial): string {
  return JSON.stringify({ publishedAt, percent, maxDenied });
}
