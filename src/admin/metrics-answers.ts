import * as z from "zod/mini";

import { type Answer, counts, span, time } from "./answer-parts.ts";

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
  /** Units that isolates leased for later requests, or admitted ahead of the store, of each policy with a lease or optimism. */
  ahead: z.array(z.object({ policy: z.string(), counts })),
  /** What regions did: waits, homeCalls, unspentUnits, lostClaims, failures. A count that is 0 throughout is left out. */
  region: z.array(z.object({ what: z.string(), counts })),
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

/** The history of a partition under one policy. */
export const PolicyHistory = z.object({
  policy: z.string(),
  partition: z.string(),
  /** The least number of times, in each of `times`. */
  denied: counts,
  near: counts,
});
export type PolicyHistory = Answer<typeof PolicyHistory>;

/** The history of one partition. */
export const PartitionHistory = z.object({
  ...span,
  /** When each ten minutes begin. */
  times: z.array(time),
  partitions: z.array(PolicyHistory),
});
export type PartitionHistory = Answer<typeof PartitionHistory>;
