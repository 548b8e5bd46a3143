/* What the admin API answers, as far as the dashboard reads it. docs/openapi.json has all of it. */

import type { Change } from "../../admin/changes.ts";
import type { MoreOfProblem } from "../../admin/refusal.ts";
import type { PartitionHistory, PolicyHistory } from "../../admin/routes/partition-history.ts";
import type { Fault } from "../../errors/errors.ts";
import type {
  Enforced,
  ExplainedPolicy,
  Explanation,
} from "../../gateway/administration/administered.ts";
import type { Estimate } from "../../metrics/estimate.ts";
import type { TopPartition } from "../../metrics/reader.ts";
import type { Stats as CountedStats } from "../../metrics/stats.ts";
import type {
  AffectedPartition as SampledPartition,
  WhatIf as Replayed,
} from "../../metrics/what-if.ts";

export type {
  Change,
  Estimate,
  ExplainedPolicy,
  Explanation,
  Fault,
  PartitionHistory,
  PolicyHistory,
  TopPartition,
};

/** A refusal's problem document. */
export interface Problem extends Pick<MoreOfProblem, "version" | "errors"> {
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
}

export interface Health {
  readonly status: string;
  readonly code?: string;
  readonly detail?: string;
  readonly breaker?: "closed" | "open" | "half-open";
  /** The number of policies by their behaviour in an outage. */
  readonly onFailure: Readonly<Record<"local" | "open" | "closed", number>>;
  readonly live: Enforced;
  readonly [fact: string]: unknown;
}

export interface Policy {
  readonly name?: string;
  readonly algorithm: string;
  readonly mode?: string;
  readonly limit?: number;
  readonly window?: string;
  readonly timeZone?: string;
  readonly anchor?: number | string;
  readonly aligned?: boolean;
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
  readonly digest?: string;
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

/** Counts over time: in each list, one number per moment. */
export interface Stats extends Omit<CountedStats, "times"> {
  readonly step: "minute" | "hour";
  /** Counts of later may still grow. */
  readonly completeTo: string;
  readonly times: readonly string[];
}

/** The effect that other numbers of a policy would have had. */
export interface WhatIf extends Omit<Replayed, "affected"> {
  readonly policy: string;
  readonly from: string;
  readonly to: string;
  readonly affected: readonly AffectedPartition[];
}

/** A partition of the sample for which something would change. */
export interface AffectedPartition extends SampledPartition {
  /** As the overview names it, where that is known. */
  readonly partition: string | null;
}
