import * as z from "zod/mini";

import { Change } from "../../../src/admin/answer-parts.ts";
import type {
  KeptEntry,
  KeptOverride,
  NamedClient as AnsweredClient,
  PutOverride as AnswerOfOverride,
  Reset as AnswerOfReset,
} from "../../../src/admin/entry-answers.ts";
import type {
  ExplainedPolicy as AnsweredPolicy,
  Explanation as AnswerOfExplanation,
} from "../../../src/admin/explanation-answer.ts";
import type { Health as AnswerOfHealth } from "../../../src/admin/health-answer.ts";
import type { PartitionHistory, Top as AnswerOfTop } from "../../../src/admin/metrics-answers.ts";
import type { Problem } from "../../../src/admin/problem-answer.ts";
import type {
  Audit as AnswerOfAudit,
  Difference as AnswerOfDifference,
  History as AnswerOfHistory,
  Published as AnswerOfPublication,
  RulesAnswer,
  SavedDraft,
} from "../../../src/admin/rules-answers.ts";
import { reading } from "./reading.ts";

/*
 * The answers of the admin API, as far as the program reads them. Fields that a later gateway adds are let through, and words
 * that it adds, too.
 */

const version = z.int();
const document = z.record(z.string(), z.unknown());
const optionalText = z.optional(z.string());

export { Change };
const changes = z.array(Change);

const side = z.object({ decided: z.int(), denied: z.int() });

export const Live = reading<RulesAnswer>()(
  z.object({
    version,
    /** `null` where Redis has none for the version. */
    document: z.nullable(document),
    /** A newer version, which a part of the clients has. */
    trial: z.optional(
      z.object({
        version,
        percent: z.int(),
        maxDenied: z.optional(z.number()),
        counts: z.object({ tried: side, others: side }),
      }),
    ),
  }),
);

export const Published = reading<AnswerOfPublication>()(
  z.object({
    version,
    changes,
    leftOut: z.optional(z.int()),
    countsAnew: z.optional(z.array(z.string())),
    takenBack: z.optional(version),
  }),
);
export const Saved = reading<SavedDraft>()(z.object({ basedOn: version, changes }));
export const Difference = reading<AnswerOfDifference>()(z.object({ changes }));

export const History = reading<AnswerOfHistory>()(
  z.object({
    versions: z.array(
      z.object({
        version,
        publishedAt: z.string(),
        by: z.string(),
        note: optionalText,
        current: z.boolean(),
        tried: z.optional(z.boolean()),
        takenBack: z.optional(z.boolean()),
      }),
    ),
  }),
);

export type History = z.output<typeof History>;
export type Published = z.output<typeof Published>;

export const Audit = reading<AnswerOfAudit>()(
  z.object({
    entries: z.array(
      z.object({
        n: z.int(),
        at: z.string(),
        by: z.string(),
        action: z.string(),
        version: z.optional(version),
        changes: z.optional(changes),
        /** Changes that the audit has left out. */
        omitted: z.optional(z.int()),
      }),
    ),
  }),
);

/** The fields that entries of the lists and overrides have in common. */
const ending = {
  until: z.optional(z.union([z.string(), z.number()])),
  by: optionalText,
  source: optionalText,
  inForce: z.optional(z.boolean()),
};

/** A client by an entry of a list. */
export const NamedClient = reading<AnsweredClient>()(
  z.object({
    until: ending.until,
    cidr: optionalText,
    identity: optionalText,
    digest: optionalText,
    asn: z.optional(z.number()),
    country: optionalText,
  }),
);
export type NamedClient = z.output<typeof NamedClient>;

export const Entry = reading<KeptEntry>()(z.extend(NamedClient, ending));
export type Entry = z.output<typeof Entry>;
export const Entries = z.object({ entries: z.array(Entry) });

const ExplainedPolicy = reading<AnsweredPolicy>()(
  z.object({
    name: z.string(),
    mode: optionalText,
    partition: z.optional(z.nullable(z.string())),
    digest: optionalText,
    limit: z.optional(z.number()),
    remaining: z.optional(z.number()),
    /** `null` if waiting does not help. */
    retryAfterMs: z.optional(z.nullable(z.number())),
    renewsAt: optionalText,
    timeZone: optionalText,
    allowed: z.boolean(),
    deniedLastHour: z.optional(z.int()),
  }),
);

export const Explanation = reading<AnswerOfExplanation>()(
  z.object({
    verdict: z.string(),
    status: z.optional(z.nullable(z.int())),
    reason: z.optional(z.nullable(z.string())),
    retryAfter: z.optional(z.number()),
    version: z.optional(version),
    plan: z.optional(z.nullable(z.string())),
    override: z.optional(z.unknown()),
    entries: z.optional(z.array(NamedClient)),
    rules: z.array(
      z.object({
        index: z.int(),
        policies: z.array(ExplainedPolicy),
      }),
    ),
  }),
);
export type Explanation = z.output<typeof Explanation>;

export const Top = reading<AnswerOfTop>()(
  z.object({
    from: z.string(),
    partitions: z.array(
      z.object({
        policy: z.string(),
        partition: z.string(),
        count: z.number(),
        hint: optionalText,
      }),
    ),
  }),
);

const counts = z.array(z.int());

export const ClientHistory = reading<PartitionHistory>()(
  z.object({
    from: z.string(),
    /** When each of its ten minutes begin. */
    times: z.array(z.string()),
    partitions: z.array(
      z.object({
        policy: z.string(),
        partition: z.string(),
        denied: counts,
        near: counts,
      }),
    ),
  }),
);

export type ClientHistory = z.output<typeof ClientHistory>;

export const Reset = reading<AnswerOfReset>()(
  z.object({
    reset: z.array(z.object({ policy: z.string(), partition: z.string() })),
  }),
);

const Override = reading<KeptOverride>()(
  z.object({
    ...ending,
    identity: optionalText,
    digest: optionalText,
    plan: optionalText,
    policies: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))),
  }),
);
export const PutOverride = reading<AnswerOfOverride>()(
  z.extend(Override, {
    appliesTo: z.optional(
      z.array(z.object({ index: z.int(), method: z.string(), path: z.string() })),
    ),
    warning: optionalText,
  }),
);
export type PutOverride = z.output<typeof PutOverride>;
export const Overrides = z.object({ entries: z.array(Override) });

export const ProblemDocument = reading<Problem>()(
  z.object({
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
  }),
);

export const Health = reading<AnswerOfHealth>()(
  z.object({
    live: z.object({
      version,
      /** Why other rules than the published ones are in force. */
      error: optionalText,
      /** When a gateway put back what the control store had lost. */
      restoredAt: optionalText,
    }),
  }),
);

/** An answer without a body. */
export const Nothing = z.undefined();
