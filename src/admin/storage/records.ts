import { foreign } from "./connection.ts";

/** What is published. */
export interface Published {
  /** From 1; 0 if nothing is. */
  readonly version: number;
  readonly publishedAtMs: number;
  readonly by?: string;
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

/** JSON that a script wrote. */
export function parseRecord<Kind>(text: string): Kind {
  try {
    return JSON.parse(text) as Kind;
  } catch {
    throw foreign();
  }
}

/** The fields of a record as a script takes them: JSON without the braces around it. */
export function fieldsOf(record: object): string {
  return JSON.stringify(record).slice(1, -1);
}
