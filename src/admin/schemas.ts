import * as z from "zod/mini";

import { check } from "../gateway/rules/check-shape.ts";
import { UNKNOWN_FIELD } from "../gateway/rules/variable-messages.ts";
import { type DurationRange, parseDuration } from "../options/duration.ts";
import { Faults } from "../options/faults.ts";
import { DURATION } from "../options/messages.ts";
import { readAddress } from "../partition/ip-address.ts";
import { COUNTRY, MAX_ASN } from "../partition/platform-facts.ts";
import type { TrialTerms } from "../store/control/trial.ts";
import { faulty } from "./refusal.ts";

/* The bodies of requests, besides documents and entries, which the gateway checks as it checks its variables. */

export const MAX_NOTE = 200;
const NOTE_REMEDY = `Give a text of at most ${MAX_NOTE} characters.`;
const Note = z.optional(z.string(NOTE_REMEDY).check(z.maxLength(MAX_NOTE, NOTE_REMEDY)));

const BODY_REMEDY = "Send a JSON object with these fields only.";

const PERCENT_REMEDY = "Give a whole number from 1 to 99; leave it out to publish to all clients.";
const ALL_REMEDY = "Give a whole number from 1 to 100, which is all clients.";
const MAX_DENIED_REMEDY =
  "Give a share from 0 to below 1, such as 0.05, together with percent: a version that all clients have is not taken back.";
const percentTo = (most: number, remedy: string) =>
  z.int(remedy).check(z.gte(1, remedy), z.lte(most, remedy));

const TERMS = {
  percent: z.optional(percentTo(99, PERCENT_REMEDY)),
  maxDenied: z.optional(
    z.number(MAX_DENIED_REMEDY).check(z.gte(0, MAX_DENIED_REMEDY), z.lt(1, MAX_DENIED_REMEDY)),
  ),
};
const areTerms = z.refine<{ readonly percent?: unknown; readonly maxDenied?: unknown }>(
  ({ percent, maxDenied }) => percent !== undefined || maxDenied === undefined,
  { error: MAX_DENIED_REMEDY, path: ["maxDenied"] },
);

export const TermsQuery = z.strictObject(TERMS, BODY_REMEDY).check(areTerms);
export const PublishBody = z.strictObject({ note: Note, ...TERMS }, BODY_REMEDY).check(areTerms);
export const TrialBody = z.strictObject({ percent: percentTo(100, ALL_REMEDY) }, BODY_REMEDY);

/** The terms on which a version is tried; `undefined` where all clients get it. */
export function termsOf({
  percent,
  maxDenied,
}: z.output<typeof TermsQuery>): TrialTerms | undefined {
  return percent === undefined
    ? undefined
    : { percent, ...(maxDenied !== undefined && { maxDenied }) };
}

const VERSION_REMEDY = "Give the number of a kept version, or 0 for what is deployed.";
export const RollbackBody = z.strictObject(
  {
    to: z.optional(z.int(VERSION_REMEDY).check(z.gte(0, VERSION_REMEDY))),
    note: Note,
  },
  BODY_REMEDY,
);

const METHOD_REMEDY = 'Give a method in capitals, such as "POST".';
const PATH_REMEDY =
  'Give a path with its query, such as "/rides?page=2", of at most 8192 characters.';
const FIELD_REMEDY = "Give header fields by their names, each a text without line breaks.";
const IP_REMEDY = "Give an address.";
const COUNTRY_REMEDY = "Give two capitals.";
const ASN_REMEDY = `Give a number from 1 to ${MAX_ASN}.`;

export const RequestBody = z.strictObject(
  {
    method: z.optional(z.string(METHOD_REMEDY).check(z.regex(/^[A-Z]{1,20}$/, METHOD_REMEDY))),
    path: z.string(PATH_REMEDY).check(z.regex(/^\/[^\s#]{0,8191}$/, PATH_REMEDY)),
    headers: z.optional(
      z.record(
        z.string().check(z.regex(/^[!#$%&'*+.^_`|~\w-]{1,100}$/, FIELD_REMEDY)),
        z.string(FIELD_REMEDY).check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, FIELD_REMEDY)),
        FIELD_REMEDY,
      ),
    ),
    ip: z.optional(
      z.string(IP_REMEDY).check(z.refine((text) => readAddress(text) !== undefined, IP_REMEDY)),
    ),
    country: z.optional(z.string(COUNTRY_REMEDY).check(z.regex(COUNTRY, COUNTRY_REMEDY))),
    asn: z.optional(z.int(ASN_REMEDY).check(z.gte(1, ASN_REMEDY), z.lte(MAX_ASN, ASN_REMEDY))),
  },
  BODY_REMEDY,
);

const WHOSE_REMEDY = "Give a request or a name.";
const NAME_REMEDY = "Give a partition as GET /top names it.";

const POLICY_REMEDY = "Give the name of a policy.";
const DIGEST_REMEDY = "Give a client's name as GET /top has it.";

/** A client by its name in metrics, and the policy that counts it. */
export const ResetBody = z.strictObject(
  {
    digest: z.string(DIGEST_REMEDY).check(z.regex(/^[!-~]{1,400}$/, DIGEST_REMEDY)),
    policy: z.string(POLICY_REMEDY),
  },
  BODY_REMEDY,
);

/** Whose history is asked for. */
export const HistoryBody = z
  .strictObject(
    {
      // Its other fields are refused where the request itself is checked.
      request: z.optional(z.looseObject(RequestBody.shape)),
      name: z.optional(z.string(NAME_REMEDY).check(z.regex(/^[^\s]{1,400}$/, NAME_REMEDY))),
    },
    BODY_REMEDY,
  )
  .check(z.refine((names) => Object.keys(names).length === 1, WHOSE_REMEDY));

/** The duration of an entry. A longer one has no end worth noting. */
const LASTS: DurationRange = { min: "1s", max: "3650d", example: "1h" };

/** The places of fields called `__proto__`, which schemas pass over without a word. */
function prototypesIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "__proto__" ? [`${path}.${name}`] : prototypesIn(inner, `${path}.${name}`),
  );
}

/**
 * The places whose values are repeated in an answer. Clients identify themselves by header fields, and the value of a
 * misspelt name may be one.
 */
const SHOWN =
  /^body\.(?:request\.)?(?:method|path|ip|country|asn|policy|note|to|name|percent|maxDenied)\b/;

/** A body, checked with its schema; throws a Refusal that lists every fault. */
export function checked<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const faults = new Faults();
  const found = check(schema, body, "body", faults);
  const told = new Set(faults.list.map(({ path }) => path));
  for (const path of prototypesIn(body, "body")) {
    if (told.has(path)) continue;
    faults.add(path, "(hidden)", UNKNOWN_FIELD, { meant: undefined, sentence: BODY_REMEDY });
  }
  if (faults.list.length === 0) return found!;
  throw faulty(
    faults.list.map(({ path, code, value, remedy }) => ({
      path: path.replace(/^body\./, ""),
      code,
      value: SHOWN.test(path) ? value : "(hidden)",
      remedy,
    })),
  );
}

/** The milliseconds of a text such as `1h`. */
export function lastsMs(text: unknown): number {
  const us = parseDuration(text);
  const [min, max] = [parseDuration(LASTS.min)!, parseDuration(LASTS.max)!];
  if (us !== undefined && us >= min && us <= max) return us / 1000;
  const faults = new Faults();
  faults.add("for", text, DURATION, LASTS);
  throw faulty(faults.list);
}
