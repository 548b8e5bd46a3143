import * as z from "zod/mini";

/*
 * The answers of the admin API. The routes send values of these types, docs/openapi.json is built from the schemas, and the
 * command line and the dashboard read them. A reader lets the fields of a later gateway through; a test compares each
 * answer with its schema to the last field.
 */

/** An answer as its readers have it. */
export type Answer<Schema extends z.ZodMiniType> = Unchanging<z.output<Schema>>;

type Unchanging<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanging<Value[Name]> }
    : Value;

/** The version of a published document, from 1; 0 for the deployed rules. */
export const version = z.int().check(z.gte(0));
export const time = z.iso.datetime();
/**
 * The author: the name of the token in ADMIN_TOKENS, or `admin:` with the start of the hash of a token without a name; `gateway` for
 * what a gateway put back.
 */
export const by = z.string().check(z.regex(/^(?:admin:[0-9a-f]{8}|[A-Za-z0-9][\w.@+-]{0,63})$/));
/** A span of time. */
export const span = { from: time, to: time };
/** One for each time of the answer. */
export const counts = z.array(z.int());
/** A rule as answers name it. */
export const ruleName = { index: z.int(), method: z.string(), path: z.string() };

/** One difference between two documents. */
export const Change = z.object({
  type: z.enum(["added", "removed", "changed"]),
  /** The place: `rules[0].policies[0].limit`. */
  path: z.string(),
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});
export type Change = Answer<typeof Change>;
