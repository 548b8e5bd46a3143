import * as z from "zod/mini";

import { DIGEST } from "../gateway/rules/digests.ts";
import { ListEntry, Plans } from "../gateway/rules/schema.ts";
import { type Answer, by, ruleName, time } from "./answer-parts.ts";

const until = ListEntry.def.options[0].shape.until;
const identity = z.string().check(z.regex(/^[^:*]+:[^*]+\*?$/));
const digest = z.string().check(z.regex(DIGEST));
const Numbers = Plans.def.valueType;

/** An override of a document. `compileOverrides` checks it, because it knows the plans. */
export const Override = z.union([
  z.strictObject({ identity, plan: z.string(), until }),
  z.strictObject({ identity, policies: Numbers, until }),
  z.strictObject({ digest, plan: z.string(), until }),
  z.strictObject({ digest, policies: Numbers, until }),
]);

/** The facts about an entry. One of a document has neither an id nor an author. */
export const KEPT = {
  id: z.optional(z.string()),
  at: z.optional(time),
  by: z.optional(by),
  source: z.enum(["document", "call"]),
  /** `false` if the rules in force leave it out, because they do not allow it. */
  inForce: z.optional(z.literal(false)),
};

/** The rules for which an override holds. */
export const SCOPE = {
  appliesTo: z.optional(z.array(z.object(ruleName))),
  /** Why it changes nothing, or less than it names, where rules do not count by its header. */
  warning: z.optional(z.string()),
};

const [ofNetwork, ofIdentity, ofNumber, ofCountry, ofDigest] = ListEntry.def.options;

/** Answers have the end of an entry as a time, however it was given. */
const ends = { until: z.optional(time) };

/** A client as an entry of a list names it: by one of these fields. */
export const NamedClient = z.partial(
  z.object({
    ...ofNetwork.shape,
    ...ofIdentity.shape,
    ...ofNumber.shape,
    ...ofCountry.shape,
    ...ofDigest.shape,
    ...ends,
  }),
);
export type NamedClient = Answer<typeof NamedClient>;

export const KeptEntry = z.extend(NamedClient, KEPT);
export type KeptEntry = Answer<typeof KeptEntry>;

export const Entries = z.object({ entries: z.array(KeptEntry) });
export type Entries = Answer<typeof Entries>;

/** An override: of an identity or a digest, with a plan or numbers. */
export const KeptOverride = z.extend(
  z.partial(z.object({ identity, digest, plan: z.string(), policies: Numbers, ...ends })),
  KEPT,
);
export type KeptOverride = Answer<typeof KeptOverride>;

export const Overrides = z.object({ entries: z.array(KeptOverride) });
export type Overrides = Answer<typeof Overrides>;

/** An override as the call that puts it answers. */
export const PutOverride = z.extend(KeptOverride, SCOPE);
export type PutOverride = Answer<typeof PutOverride>;

export const Reset = z.object({
  reset: z.array(z.object({ policy: z.string(), partition: z.string() })),
});
export type Reset = Answer<typeof Reset>;
