import * as z from "zod/mini";

/*
 * What the admin API answers, as far as the program reads it. Fields that a later gateway adds are let through.
 */

const version = z.int();
const document = z.record(z.string(), z.unknown());
const optionalText = z.optional(z.string());

const ChangeType = z.enum(["added", "removed", "changed"]);
export const Change = z.object({
  type: ChangeType,
  path: z.string(),
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});
export type Change = z.output<typeof Change>;
const changes = z.array(Change);

export const Live = z.object({
  version,
  /** `null` where Redis has none for the version. */
  document: z.nullable(document),
});

export const Published = z.object({ version, changes });
export const Saved = z.object({ basedOn: version, changes });
export const Difference = z.object({ changes });

export const History = z.object({
  versions: z.array(
    z.object({
      version,
      publishedAt: z.string(),
      by: z.string(),
      note: optionalText,
      current: z.boolean(),
    }),
  ),
});

export type History = z.output<typeof History>;

export const Audit = z.object({
  entries: z.array(
    z.object({
      at: z.string(),
      by: z.string(),
      action: z.string(),
      version: z.optional(version),
      changes: z.optional(changes),
      /** Changes that the audit has left out. */
      omitted: z.optional(z.int()),
    }),
  ),
});

/** What entries of the lists and overrides have in common. */
const ending = {
  until: z.optional(z.union([z.string(), z.number()])),
  by: optionalText,
  source: optionalText,
};

export const Entry = z.object({
  ...ending,
  cidr: optionalText,
  identity: optionalText,
  digest: optionalText,
  asn: z.optional(z.number()),
  country: optionalText,
});
export type Entry = z.output<typeof Entry>;
export const Entries = z.object({ entries: z.array(Entry) });

const ExplainedPolicy = z.object({
  name: z.string(),
  mode: optionalText,
  partition: z.optional(z.nullable(z.string())),
  limit: z.optional(z.number()),
  remaining: z.optional(z.number()),
  /** `null` if waiting does not help. */
  retryAfterMs: z.optional(z.nullable(z.number())),
  renewsAt: optionalText,
  timeZone: optionalText,
  allowed: z.boolean(),
  deniedLastHour: z.optional(z.int()),
});

export const Explanation = z.object({
  verdict: z.string(),
  status: z.optional(z.nullable(z.int())),
  reason: z.optional(z.nullable(z.string())),
  retryAfter: z.optional(z.number()),
  version: z.optional(version),
  plan: z.optional(z.nullable(z.string())),
  override: z.optional(z.unknown()),
  entries: z.optional(z.array(Entry)),
  rules: z.array(
    z.object({
      index: z.int(),
      policies: z.array(ExplainedPolicy),
    }),
  ),
});
export type Explanation = z.output<typeof Explanation>;

export const Top = z.object({
  from: z.string(),
  partitions: z.array(
    z.object({ policy: z.string(), partition: z.string(), count: z.number(), hint: optionalText }),
  ),
});

const counts = z.array(z.int());

export const ClientHistory = z.object({
  from: z.string(),
  /** When each of its ten minutes begin. */
  times: z.array(z.string()),
  partitions: z.array(
    z.object({
      policy: z.string(),
      partition: z.nullable(z.string()),
      denied: counts,
      near: counts,
    }),
  ),
});

export type ClientHistory = z.output<typeof ClientHistory>;

export const Reset = z.object({
  reset: z.array(z.object({ policy: z.string(), partition: z.string() })),
});

const Override = z.object({
  ...ending,
  identity: optionalText,
  digest: optionalText,
  plan: optionalText,
  policies: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))),
});
export const PutOverride = z.extend(Override, {
  appliesTo: z.optional(
    z.array(z.object({ index: z.int(), method: z.string(), path: z.string() })),
  ),
  warning: optionalText,
});
export type PutOverride = z.output<typeof PutOverride>;
export const Overrides = z.object({ entries: z.array(Override) });

const Estimate = z.object({
  sampled: z.number(),
  estimate: z.nullable(z.number()),
  low: z.nullable(z.number()),
  high: z.nullable(z.number()),
});

export const WhatIf = z.object({
  oneIn: z.number(),
  partitions: z.number(),
  otherNumbers: z.number(),
  tooFew: z.boolean(),
  agreement: z.nullable(z.number()),
  requests: z.number(),
  deniedBefore: z.number(),
  deniedAfter: Estimate,
  partitionsAffected: Estimate,
  affectedShare: z.nullish(z.object({ low: z.number(), high: z.number() })),
});
export type WhatIf = z.output<typeof WhatIf>;

export const ProblemDocument = z.object({
  title: z.string(),
  detail: optionalText,
  errors: z.optional(
    z.array(
      z.object({
        path: z.string(),
        code: z.optional(z.string()),
        value: z.string(),
        remedy: z.string(),
      }),
    ),
  ),
});

export const Health = z.object({
  live: z.object({
    version,
    /** Why other rules than the published ones are in force. */
    error: optionalText,
  }),
});

/** Where nothing comes back. */
export const Nothing = z.undefined();
