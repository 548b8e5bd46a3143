import * as z from "zod/mini";

import { type Answer, time, version } from "./answer-parts.ts";

/** The rules that a gateway enforces. */
export const Enforced = z.object({
  version,
  revision: z.number(),
  source: z.enum(["live", "deployed"]),
  /** A newer version, which a part of the clients has. */
  trial: z.optional(z.object({ version, percent: z.int() })),
  /** The version in Redis, where it is not in force. */
  published: z.optional(version),
  /** The age of the last answer of Redis about the rules. */
  ageMs: z.optional(z.number()),
  /** Why other rules than the published ones are in force. */
  error: z.optional(z.string()),
  /** When a gateway put back what the control store had lost, in the last hour and since the last publication. */
  restoredAt: z.optional(time),
});
export type Enforced = Answer<typeof Enforced>;

export const Health = z.object({
  status: z.enum(["ok", "degraded", "store-unavailable"]),
  /** Names the fault: one of the store, or one of the gateway although its store decides. */
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  store: z.enum(["redis", "durable-object", "memory"]),
  dialect: z.optional(z.enum(["redis", "upstash"])),
  version: z.optional(z.string()),
  breaker: z.optional(z.enum(["closed", "open", "half-open"])),
  suspendedSlots: z.optional(z.int()),
  /** The stores nearby, each with the code of its error while it does not answer; absent without a region. */
  regions: z.optional(z.array(z.object({ name: z.string(), code: z.optional(z.string()) }))),
  /** The place of the control data; absent where no live rules are read. */
  control: z.optional(
    z.object({
      store: z.enum(["redis", "durable-object", "memory"]),
      /** Whether the counts are elsewhere. */
      own: z.boolean(),
      /** Whether it keeps its data: `unknown` where it does not say. */
      persistence: z.enum(["aof", "rdb", "none", "managed", "unknown"]),
    }),
  ),
  /** The number of policies by their behaviour in an outage. */
  onFailure: z.object({ local: z.int(), open: z.int(), closed: z.int() }),
  live: Enforced,
  /** The keys that verify tokens, and why they could not be read; absent where no tokens are verified. */
  keys: z.optional(z.object({ error: z.optional(z.string()) })),
  /** The role of the token that asked: `read` may change nothing. */
  role: z.enum(["admin", "read"]),
});
export type Health = Answer<typeof Health>;
