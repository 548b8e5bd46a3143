import { isRecord } from "../../options/record.ts";

/** What is published. */
export interface Published {
  /** From 1; 0 if nothing is. */
  readonly version: number;
  readonly publishedAtMs: number;
  readonly by?: string;
  /** `undefined` where Redis has no document for the version. */
  readonly document: unknown;
}

/** A kept version without its document. */
export interface VersionHead {
  readonly version: number;
  readonly publishedAt: number;
  readonly by: string;
  readonly note?: string;
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
  readonly at: number;
  readonly by: string;
  readonly action: string;
  readonly version?: number;
  readonly changes?: readonly unknown[];
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

/** The fields of a record as a script takes them: JSON without the braces around it. */
export function fieldsOf(record: object): string {
  return JSON.stringify(record).slice(1, -1);
}
