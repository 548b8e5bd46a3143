import * as z from "zod/mini";

import { type Answer, counts, span, time } from "./parts.ts";

/** Counts over time: in each list, one number per moment. */
export const Stats = z.object({
  step: z.enum(["minute", "hour"]),
  ...span,
  /** Counts of later may still grow. */
  completeTo: time,
  times: z.array(time),
  requests: z.array(
    z.object({ rule: z.string(), outcome: z.string(), reason: z.string(), counts }),
  ),
  evaluations: z.array(
    z.object({ policy: z.string(), mode: z.string(), result: z.string(), counts }),
  ),
  /** Not cumulative. */
  utilization: z.array(z.object({ policy: z.string(), le: z.number(), counts })),
  /** Not cumulative; `le` is in seconds, `null` for longer ones. */
  durations: z.array(z.object({ le: z.nullable(z.number()), counts })),
  storeErrors: z.array(z.object({ code: z.string(), counts })),
  commands: counts,
  /** Units of optimistic policies that had no room. */
  excess: counts,
  lost: counts,
});
export type Stats = Answer<typeof Stats>;

export const TopPartition = z.object({
  policy: z.string(),
  partition: z.string(),
  count: z.number(),
  /** The last characters of its key. */
  hint: z.optional(z.string()),
});
export type TopPartition = Answer<typeof TopPartition>;

export const Top = z.object({
  kind: z.enum(["denied", "near"]),
  ...span,
  partitions: z.array(TopPartition),
});
export type Top = Answer<typeof Top>;

const bound = z.nullable(z.int());

/** A number of all partitions, estimated from those of a sample. */
export const Estimate = z.object({
  sampled: z.int(),
  /** `null` where the sample has too few that differ. */
  estimate: bound,
  /** The bounds of an interval that has the truth 19 times out of 20. */
  low: bound,
  high: bound,
});
export type Estimate = Answer<typeof Estimate>;

/** A partition of the sample for which something would change. */
export const AffectedPartition = z.object({
  /** As `GET /top` names it, where that is known. */
  partition: z.nullable(z.string()),
  /** Its name in the sample. */
  number: z.string(),
  requests: z.int(),
  deniedBefore: z.int(),
  deniedAfter: z.int(),
});
export type AffectedPartition = Answer<typeof AffectedPartition>;

/** The effect that other numbers of a policy would have had. */
export const WhatIf = z.object({
  policy: z.string(),
  numbers: z.record(z.string(), z.union([z.number(), z.string()])),
  ...span,
  /** One of this many partitions is in the sample. */
  oneIn: z.int(),
  partitions: z.int(),
  /** Partitions of the sample under other numbers than the policy has now. */
  otherNumbers: z.int(),
  /** Whether the sample has too few partitions for an answer. */
  tooFew: z.boolean(),
  /** The share of the sampled requests that the model repeats; `null` without any. */
  agreement: z.nullable(z.number()),
  /** Counted, not estimated. */
  requests: z.int(),
  deniedBefore: z.int(),
  deniedAfter: Estimate,
  partitionsAffected: Estimate,
  /** Of all partitions, where the sample has too few for an estimate; else, and without any, `null`. */
  affectedShare: z.nullable(z.object({ low: z.number(), high: z.number() })),
  affected: z.array(AffectedPartition),
});
export type WhatIf = Answer<typeof WhatIf>;

/** The history of a partition under one policy. */
export const PolicyHistory = z.object({
  policy: z.string(),
  partition: z.nullable(z.string()),
  /** Its name in the sample. */
  number: z.nullable(z.string()),
  /** `null` if its name does not say so. */
  isSampled: z.nullable(z.boolean()),
  /** The least number of times, in each of `times`. */
  denied: counts,
  near: counts,
  /** In each of `minutes`; `null` if none are kept. */
  requests: z.nullable(z.object({ allowed: counts, denied: counts, deniedByOthers: counts })),
});
export type PolicyHistory = Answer<typeof PolicyHistory>;

/** The history of one partition. */
export const PartitionHistory = z.object({
  ...span,
  /** When each ten minutes begin. */
  times: z.array(time),
  /** Those of the last hour, for requests in the sample. */
  minutes: z.array(time),
  partitions: z.array(PolicyHistory),
});
export type PartitionHistory = Answer<typeof PartitionHistory>;
