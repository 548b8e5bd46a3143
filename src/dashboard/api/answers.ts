/* What the admin API answers, as far as the dashboard reads it. docs/openapi.json has all of it. */

import type { Change } from "../../admin/changes.ts";
import type { Fault } from "../../errors/errors.ts";
import type { Enforced, Explanation } from "../../gateway/administered.ts";

export type { Change, Enforced, Explanation, Fault };

/** A refusal's problem document. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly version?: number;
  readonly errors?: readonly Fault[];
}

export interface Health {
  readonly status: string;
  readonly code?: string;
  readonly detail?: string;
  readonly live: Enforced;
  readonly [fact: string]: unknown;
}

export interface Policy {
  readonly name?: string;
  readonly algorithm: string;
  readonly mode?: string;
  readonly limit?: number;
  readonly window?: string;
  readonly refill?: number;
  readonly per?: string;
  readonly ttl?: string;
  readonly partition?: unknown;
  readonly counts?: string;
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

export interface Live {
  readonly version: number;
  readonly publishedAt?: string;
  readonly by?: string;
  readonly source: string;
  readonly document: RulesDocument;
}

export interface Draft {
  readonly basedOn: number;
  readonly savedAt: string;
  readonly by: string;
  readonly document: RulesDocument;
}

export interface Version {
  readonly version: number;
  readonly publishedAt: string;
  readonly by: string;
  readonly note?: string;
  readonly current: boolean;
}

export interface Changes {
  readonly version?: number;
  readonly changes: readonly Change[];
}

/** An entry of a list, or an override. */
export interface Entry {
  readonly id?: string;
  readonly cidr?: string;
  readonly identity?: string;
  readonly asn?: number;
  readonly country?: string;
  readonly plan?: string;
  readonly policies?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly until?: string;
  readonly at?: string;
  readonly by?: string;
  readonly source: "document" | "call";
}

export interface AuditEntry {
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly version?: number;
  readonly changes?: readonly Change[];
  readonly omitted?: number;
}

type Counted<Names extends string> = Readonly<Record<Names, string>> & {
  readonly counts: readonly number[];
};

/** Counts over time: in each list, one number per moment. */
export interface Stats {
  readonly step: "minute" | "hour";
  readonly times: readonly string[];
  readonly requests: readonly Counted<"rule" | "outcome" | "reason">[];
  readonly evaluations: readonly Counted<"policy" | "mode" | "result">[];
  readonly utilization: readonly (Counted<"policy"> & { readonly le: number })[];
  /** `le` is in seconds, `null` for what took longer. */
  readonly durations: readonly { readonly le: number | null; readonly counts: readonly number[] }[];
  readonly storeErrors: readonly Counted<"code">[];
  readonly commands: readonly number[];
  readonly lost: readonly number[];
}

/** What a sample says of all partitions; `null` where it is too small. */
export interface Estimate {
  readonly sampled: number;
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** What other numbers of a policy would have changed. */
export interface WhatIf {
  readonly policy: string;
  readonly from: string;
  readonly to: string;
  readonly oneIn: number;
  readonly partitions: number;
  readonly otherNumbers: number;
  readonly tooFew: boolean;
  readonly agreement: number | null;
  readonly requests: number;
  readonly deniedBefore: number;
  readonly deniedAfter: Estimate;
  readonly partitionsAffected: Estimate;
  readonly affected: readonly AffectedPartition[];
}

/** A partition of the sample for which something would change. */
export interface AffectedPartition {
  /** As the overview names it, where that is known. */
  readonly partition: string | null;
  readonly number: string;
  readonly requests: number;
  readonly deniedBefore: number;
  readonly deniedAfter: number;
}

/** What is known of one partition over time. */
export interface PartitionHistory {
  /** When each ten minutes begin. */
  readonly times: readonly string[];
  /** Those of the last hour, for requests in the sample. */
  readonly minutes: readonly string[];
  readonly partitions: readonly PolicyHistory[];
}

/** The same under one policy. */
export interface PolicyHistory {
  readonly policy: string;
  readonly partition: string | null;
  readonly number: string | null;
  /** `null` if nobody can tell. */
  readonly isSampled: boolean | null;
  readonly denied: readonly number[];
  readonly near: readonly number[];
  readonly requests: {
    readonly allowed: readonly number[];
    readonly denied: readonly number[];
    readonly deniedByOthers: readonly number[];
  } | null;
}

export interface TopPartition {
  readonly policy: string;
  readonly partition: string;
  readonly count: number;
}
