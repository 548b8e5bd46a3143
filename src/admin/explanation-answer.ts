import * as z from "zod/mini";

import { type Answer, ruleName, time, version } from "./answer-parts.ts";
import { NamedClient } from "./entry-answers.ts";

/** The state of a client in a policy. */
export const ExplainedPolicy = z.object({
  name: z.string(),
  algorithm: z.string(),
  mode: z.string(),
  /** The counted client, readable, such as `x-user-id:42`; `*` for all clients. */
  partition: z.string(),
  /** Names the client to blocks and overrides by `digest`, where it has an address, which an override cannot name. */
  digest: z.optional(z.string()),
  limit: z.int(),
  remaining: z.int(),
  /** `null` if waiting does not help. */
  retryAfterMs: z.nullable(z.number()),
  resetAfterMs: z.number(),
  /** When the window of a calendar ends, and its time zone; absent for other windows. */
  renewsAt: z.optional(time),
  timeZone: z.optional(z.string()),
  allowed: z.boolean(),
  /** The least number of times it denied this partition in the last hour; absent without metrics. */
  deniedLastHour: z.optional(z.int()),
});
export type ExplainedPolicy = Answer<typeof ExplainedPolicy>;

/** The gateway's treatment of a request, and the reason. */
export const Explanation = z.object({
  verdict: z.enum(["allowed", "denied", "exempt", "blocked", "refused", "passed"]),
  /** The status of the gateway's answer; 200 where the origin would answer. */
  status: z.int(),
  reason: z.string(),
  /** In seconds. */
  retryAfter: z.optional(z.number()),
  /** The version of the rules that decided. */
  version,
  plan: z.optional(z.string()),
  /** The identity or pattern of the override that applies. */
  override: z.optional(z.string()),
  /** The entries that name the client, of the list that exempts or blocks it; at most ten. */
  entries: z.optional(z.array(NamedClient)),
  rules: z.array(z.object({ ...ruleName, policies: z.array(ExplainedPolicy) })),
});
export type Explanation = Answer<typeof Explanation>;
