import * as z from "zod/mini";

import { ListEntry } from "../../../src/gateway/rules/schema.ts";
import { Override } from "../live-document.ts";

/* What the routes of the admin API answer. A test compares every answer with it. */

const version = z.int().check(z.gte(0));
const time = z.iso.datetime();
const by = z.string().check(z.regex(/^admin:[0-9a-f]{8}$/));

/** A document is answered as it was sent: without the defaults of what it leaves out. */
const document = z.any();
z.globalRegistry.add(document, { override: { $ref: "#/components/schemas/Document" } });

export const Problem = z.strictObject({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  version: z.optional(version),
  errors: z.optional(
    z.array(
      z.strictObject({
        path: z.string(),
        code: z.string(),
        value: z.string(),
        remedy: z.string(),
      }),
    ),
  ),
  code: z.optional(z.string().check(z.regex(/^ERR_STORE_/))),
  outcome: z.optional(z.enum(["unknown", "not-done"])),
});

export const Change = z.strictObject({
  type: z.enum(["added", "removed", "changed"]),
  path: z.string(),
  before: z.optional(z.any()),
  after: z.optional(z.any()),
});
const changes = z.array(Change);

export const RulesAnswer = z.strictObject({
  version,
  publishedAt: z.optional(time),
  by: z.optional(by),
  source: z.enum(["live", "deployed"]),
  document: z.nullable(document),
  error: z.optional(z.string()),
});

export const Published = z.strictObject({ version, publishedAt: time, changes });
export const DryRun = z.strictObject({ version, changes, dryRun: z.literal(true) });
export const PublishedOrNot = z.union([Published, DryRun]);

export const SavedDraft = z.strictObject({ basedOn: version, savedAt: time, changes });
export const DraftAnswer = z.strictObject({
  basedOn: version,
  savedAt: time,
  by,
  document,
});

export const History = z.strictObject({
  versions: z.array(
    z.strictObject({
      version,
      publishedAt: time,
      by,
      note: z.optional(z.string()),
      current: z.boolean(),
    }),
  ),
});

export const Diff = z.strictObject({ from: z.string(), to: z.string(), changes });

const KEPT = {
  id: z.optional(z.string()),
  at: z.optional(time),
  by: z.optional(by),
  source: z.enum(["document", "call"]),
};
const lasts = { for: z.optional(z.string()) };

/** An entry of a list or an override as it is answered, and as it is sent. */
export const KeptEntry = z.union(
  ListEntry.def.options.map((entry) => z.extend(entry, KEPT)) as never,
);
export const KeptOverride = z.union(
  Override.def.options.map((entry) => z.extend(entry, KEPT)) as never,
);
export const SentEntry = z.union(
  ListEntry.def.options.map((entry) => z.extend(entry, lasts)) as never,
);
export const SentOverride = z.union(
  Override.def.options.map((entry) => z.extend(entry, lasts)) as never,
);
const ruleName = { index: z.int(), method: z.string(), path: z.string() };
/** An override as the call that puts it answers. */
export const PutOverride = z.union(
  Override.def.options.map((entry) =>
    z.extend(entry, {
      ...KEPT,
      appliesTo: z.optional(z.array(z.strictObject(ruleName))),
      warning: z.optional(z.string()),
    }),
  ) as never,
);
/** What takes an override back: its identity or digest, with or without the rest of it. */
export const NamedOverride = z.union([
  SentOverride,
  z.strictObject({ identity: z.string() }),
  z.strictObject({ digest: z.string() }),
]);
export const Entries = z.strictObject({ entries: z.array(KeptEntry) });
export const OverridesAnswer = z.strictObject({ entries: z.array(KeptOverride) });

export const Explanation = z.strictObject({
  verdict: z.enum(["allowed", "denied", "exempt", "blocked", "refused", "passed"]),
  status: z.int(),
  reason: z.string(),
  retryAfter: z.optional(z.number()),
  version,
  plan: z.optional(z.string()),
  override: z.optional(z.string()),
  entries: z.optional(z.array(ListEntry)),
  rules: z.array(
    z.strictObject({
      ...ruleName,
      policies: z.array(
        z.strictObject({
          name: z.string(),
          algorithm: z.string(),
          mode: z.string(),
          partition: z.string(),
          limit: z.int(),
          remaining: z.int(),
          retryAfterMs: z.nullable(z.number()),
          resetAfterMs: z.number(),
          renewsAt: z.optional(time),
          timeZone: z.optional(z.string()),
          allowed: z.boolean(),
          deniedLastHour: z.optional(z.int()),
        }),
      ),
    }),
  ),
});

export const Reset = z.strictObject({
  reset: z.array(z.strictObject({ policy: z.string(), partition: z.string() })),
});

export const Audit = z.strictObject({
  entries: z.array(
    z.strictObject({
      at: time,
      by,
      action: z.string(),
      version: z.optional(version),
      changes: z.optional(changes),
      omitted: z.optional(z.int()),
    }),
  ),
});

export const Health = z.strictObject({
  status: z.enum(["ok", "degraded", "store-unavailable"]),
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  store: z.enum(["redis", "durable-object", "memory"]),
  dialect: z.optional(z.enum(["redis", "upstash"])),
  version: z.optional(z.string()),
  breaker: z.optional(z.enum(["closed", "open", "half-open"])),
  suspendedSlots: z.optional(z.int()),
  onFailure: z.strictObject({ local: z.int(), open: z.int(), closed: z.int() }),
  live: z.looseObject({
    version,
    revision: z.number(),
    source: z.enum(["live", "deployed"]),
    published: z.optional(version),
    ageMs: z.optional(z.number()),
    error: z.optional(z.string()),
  }),
});

const counts = z.array(z.int());
const span = { from: time, to: time };

export const StatsAnswer = z.strictObject({
  step: z.enum(["minute", "hour"]),
  ...span,
  completeTo: time,
  times: z.array(time),
  requests: z.array(
    z.strictObject({ rule: z.string(), outcome: z.string(), reason: z.string(), counts }),
  ),
  evaluations: z.array(
    z.strictObject({ policy: z.string(), mode: z.string(), result: z.string(), counts }),
  ),
  utilization: z.array(z.strictObject({ policy: z.string(), le: z.number(), counts })),
  durations: z.array(z.strictObject({ le: z.nullable(z.number()), counts })),
  storeErrors: z.array(z.strictObject({ code: z.string(), counts })),
  commands: counts,
  excess: counts,
  lost: counts,
});

export const Top = z.strictObject({
  kind: z.enum(["denied", "near"]),
  ...span,
  partitions: z.array(
    z.strictObject({
      policy: z.string(),
      partition: z.string(),
      count: z.number(),
      hint: z.optional(z.string()),
    }),
  ),
});

const bound = z.nullable(z.int());
const estimate = z.strictObject({
  sampled: z.int(),
  estimate: bound,
  low: bound,
  high: bound,
});

export const WhatIfAnswer = z.strictObject({
  policy: z.string(),
  numbers: z.record(z.string(), z.union([z.number(), z.string()])),
  ...span,
  oneIn: z.int(),
  partitions: z.int(),
  otherNumbers: z.int(),
  tooFew: z.boolean(),
  agreement: z.nullable(z.number()),
  requests: z.int(),
  deniedBefore: z.int(),
  deniedAfter: estimate,
  partitionsAffected: estimate,
  affectedShare: z.nullable(z.strictObject({ low: z.number(), high: z.number() })),
  affected: z.array(
    z.strictObject({
      partition: z.nullable(z.string()),
      number: z.string(),
      requests: z.int(),
      deniedBefore: z.int(),
      deniedAfter: z.int(),
    }),
  ),
});

export const PartitionHistory = z.strictObject({
  ...span,
  times: z.array(time),
  minutes: z.array(time),
  partitions: z.array(
    z.strictObject({
      policy: z.string(),
      partition: z.nullable(z.string()),
      number: z.nullable(z.string()),
      isSampled: z.nullable(z.boolean()),
      denied: counts,
      near: counts,
      requests: z.nullable(
        z.strictObject({ allowed: counts, denied: counts, deniedByOthers: counts }),
      ),
    }),
  ),
});
