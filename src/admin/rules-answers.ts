import * as z from "zod/mini";

import { type Answer, by, Change, time, version } from "./answer-parts.ts";

/** A document as it was sent: without the defaults of the fields that it leaves out. */
export const AnsweredDocument = z.unknown();
const changes = z.array(Change);

const side = z.object({ decided: z.int(), denied: z.int() });

/** A newer version, which a part of the clients has. */
const Trial = z.object({
  version,
  publishedAt: time,
  percent: z.int(),
  /** The share of its decisions that may be denials; absent for any. */
  maxDenied: z.optional(z.number()),
  /** The decisions under it, and those about the other clients, since its percentage was set. */
  counts: z.object({ tried: side, others: side }),
});

export const RulesAnswer = z.object({
  version,
  publishedAt: z.optional(time),
  by: z.optional(by),
  source: z.enum(["live", "deployed"]),
  /** `null` where Redis has none for the version. */
  document: z.nullable(AnsweredDocument),
  error: z.optional(z.string()),
  trial: z.optional(Trial),
});
export type RulesAnswer = Answer<typeof RulesAnswer>;

/** How many entries by single calls these rules leave out of force; absent if none. */
const leftOut = z.optional(z.int());

/** The paths of unnamed policies whose counts begin anew; absent if none. */
const countsAnew = z.optional(z.array(z.string()));

export const Published = z.object({
  version,
  publishedAt: time,
  changes,
  leftOut,
  countsAnew,
  /** The version that was tried until now: all clients have `version` again. */
  takenBack: z.optional(version),
});
export type Published = Answer<typeof Published>;

export const DryRun = z.object({
  version,
  changes,
  leftOut,
  countsAnew,
  dryRun: z.literal(true),
});
export type DryRun = Answer<typeof DryRun>;

export const SavedDraft = z.object({ basedOn: version, savedAt: time, changes });
export type SavedDraft = Answer<typeof SavedDraft>;

export const DraftAnswer = z.object({
  basedOn: version,
  savedAt: time,
  by,
  document: AnsweredDocument,
});
export type DraftAnswer = Answer<typeof DraftAnswer>;

export const History = z.object({
  versions: z.array(
    z.object({
      version,
      publishedAt: time,
      by,
      note: z.optional(z.string()),
      current: z.boolean(),
      /** Whether a part of the clients has it now, or only such a part had it. */
      tried: z.optional(z.boolean()),
      takenBack: z.optional(z.boolean()),
    }),
  ),
});
export type History = Answer<typeof History>;

export const Difference = z.object({ from: z.string(), to: z.string(), changes });
export type Difference = Answer<typeof Difference>;

export const Audit = z.object({
  entries: z.array(
    z.object({
      /** One more than that of the entry before. */
      n: z.int(),
      at: time,
      by,
      action: z.string(),
      version: z.optional(version),
      changes: z.optional(changes),
      /** How many changes are left out. */
      omitted: z.optional(z.int()),
    }),
  ),
});
export type Audit = Answer<typeof Audit>;
