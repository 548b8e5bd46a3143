/* The answers of the admin API, as far as the dashboard reads them, by the types with which the gateway sends them. */

import type { Change } from "../../../../src/admin/answer-parts.ts";
import type { KeptEntry, KeptOverride } from "../../../../src/admin/entry-answers.ts";
import type { Stats as SentStats } from "../../../../src/admin/metrics-answers.ts";
import type { Problem as SentProblem } from "../../../../src/admin/problem-answer.ts";
import type {
  Audit,
  DraftAnswer,
  History,
  RulesAnswer,
} from "../../../../src/admin/rules-answers.ts";

export type { ExplainedPolicy, Explanation } from "../../../../src/admin/explanation-answer.ts";
export type { Health } from "../../../../src/admin/health-answer.ts";
export type {
  PartitionHistory,
  PolicyHistory,
  TopPartition,
} from "../../../../src/admin/metrics-answers.ts";
export type { Change };

export type Stats = Omit<SentStats, "from" | "to">;

/** A refusal's problem document; a proxy before the gateway may leave out the rest. */
export type Problem = Pick<SentProblem, "title" | "status" | "version" | "errors"> &
  Partial<Pick<SentProblem, "detail">>;

export type Fault = NonNullable<SentProblem["errors"]>[number];

/** The options that the dashboard only shows have no type here. */
export interface Policy {
  readonly name?: string;
  readonly algorithm: string;
  readonly mode?: string;
  readonly limit?: number;
  readonly window?: string;
  readonly timeZone?: string;
  readonly anchor?: number | string;
  readonly aligned?: boolean;
  readonly partition?: unknown;
  readonly counts?: string;
  readonly [option: string]: unknown;
}

export interface Rule {
  readonly method?: string | readonly string[];
  readonly path: string;
  readonly partition?: unknown;
  readonly policies: readonly Policy[];
}

export interface RulesDocument {
  readonly rules: readonly Rule[];
}

export interface Live extends Omit<RulesAnswer, "document"> {
  readonly document: RulesDocument;
}

export type Trial = NonNullable<RulesAnswer["trial"]>;

export interface Draft extends Omit<DraftAnswer, "document"> {
  readonly document: RulesDocument;
}

export type Version = History["versions"][number];

export interface Changes {
  readonly version?: number;
  readonly changes: readonly Change[];
  readonly countsAnew?: readonly string[];
}

/** An entry of a list, or an override. */
export type Entry = KeptEntry & KeptOverride;

export type AuditEntry = Audit["entries"][number];
