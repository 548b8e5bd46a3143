import * as z from "zod/mini";

const ORIGIN =
  'Give origins as browsers send them, such as "https://app.example.com": without a path, and without a slash at the end. "*" alone stands for every site.';
const METHODS = 'Give a list of methods, such as ["GET", "POST"].';
const FIELDS = 'Give a list of the names of header fields, such as ["Content-Type"].';
const CREDENTIALS =
  'Name the origins, methods and fields: with credentials, browsers take "*" for none of them.';

/** More seconds than a day: browsers forget a preflight sooner. */
const MAX_AGE = 86_400;

const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

/** Longer lists are a mistake. */
const MAX_ITEMS = 1_000;

const Origin = z.string(ORIGIN).check(z.refine(isOrigin, ORIGIN));

const listOf = (item: z.ZodMiniString, remedy: string) =>
  z.array(item, remedy).check(z.maxLength(MAX_ITEMS, remedy));

const Fields = z.optional(listOf(z.string(FIELDS).check(z.regex(TOKEN, FIELDS)), FIELDS));
const Methods = z.optional(
  listOf(z.string(METHODS).check(z.regex(/^(?:\*|[A-Z]{1,20})$/, METHODS)), METHODS),
);
const SECONDS = `Give whole seconds from 0 to ${MAX_AGE}.`;

/** The options of `hono/cors` that are data. */
export const CorsOptions = z
  .strictObject(
    {
      origin: z.union(
        [
          z.literal("*"),
          Origin,
          z.array(Origin).check(z.minLength(1, ORIGIN), z.maxLength(MAX_ITEMS, ORIGIN)),
        ],
        ORIGIN,
      ),
      allowMethods: Methods,
      allowHeaders: Fields,
      exposeHeaders: Fields,
      maxAge: z.optional(z.int(SECONDS).check(z.gte(0, SECONDS), z.lte(MAX_AGE, SECONDS))),
      credentials: z.optional(z.boolean("Use true to let browsers send cookies, or false.")),
    },
    'Give a table of origin and, if need be, allowMethods, allowHeaders, exposeHeaders, maxAge and credentials: { "origin": "https://app.example.com" }.',
  )
  .check(z.refine(namesAll, { error: CREDENTIALS, path: ["credentials"] }));

export type CorsOptions = z.output<typeof CorsOptions>;

function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\*]+$/.test(text)) return false;
  // URL names no origin for a scheme that it does not know, such as that of a browser extension.
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text);
}

function namesAll({
  credentials,
  ...options
}: {
  readonly credentials?: boolean | undefined;
}): boolean {
  return credentials !== true || !Object.values<unknown>(options).flat().includes("*");
}
