import * as z from "zod/mini";

import type { OptionKind } from "../algorithms/algorithm.ts";
import { WINDOW_RANGE } from "../algorithms/window.ts";
import { parseCidr } from "../lists/cidr.ts";
import { EARLIEST_MS, LATEST_MS, MOMENT, parseMoment } from "../lists/moment.ts";
import { type DurationRange, durationRemedy, isDurationWithin } from "../options/duration.ts";
import { integerRemedy } from "../options/positive-integer.ts";
import { COUNTRY, MAX_ASN } from "../partition/platform-facts.ts";
import { SOURCE, SOURCE_LIST_REMEDY, SOURCE_REMEDY } from "../partition/source.ts";
import { NAME, NAME_REMEDY, VERDICT_REMEDY } from "../policy/compile.ts";
import { algorithmRemedy, IMPLEMENTATIONS } from "../policy/from-data.ts";

/*
 * The schema of rules as data. It checks them, and the JSON Schema for editors is generated from it. Checks that need
 * several fields at once, or the platform, run where the data is used.
 */

/** A policy in TOML, for remedies. */
const EXAMPLE = '{ algorithm = "token-bucket", name = "api", limit = 20, refill = 10, per = "1s" }';

function integer(max: number, hint?: string) {
  const remedy = integerRemedy(max, hint);
  return z.int(remedy).check(z.gte(1, remedy), z.lte(max, remedy));
}

export function duration(range: DurationRange) {
  const remedy = durationRemedy(range);
  return z.string(remedy).check(
    z.regex(/^\d{1,15}(?:\.\d{1,6})?(?:ms|s|m|h|d)$/, remedy),
    z.refine((value) => isDurationWithin(value, range), remedy),
  );
}

export const OnFailure = z.enum(["open", "closed", "local"], VERDICT_REMEDY);

/** The schema of an algorithm's own option. */
function option(kind: OptionKind) {
  if (kind.kind === "duration") return duration(WINDOW_RANGE);
  const value = integer(kind.max);
  return kind.default === undefined ? value : z.optional(value);
}

/** Derived from each algorithm's description of its options, so that an algorithm is described in one place. */
const policies = Object.entries(IMPLEMENTATIONS).map(([algorithm, implementation]) =>
  z.strictObject({
    algorithm: z.literal(algorithm),
    name: z.optional(z.string(NAME_REMEDY).check(z.regex(NAME, NAME_REMEDY))),
    limit: integer(implementation.maxLimit, implementation.limitHint),
    ...Object.fromEntries(
      Object.entries(implementation.options).map(([name, kind]) => [name, option(kind)]),
    ),
    onFailure: z.optional(OnFailure),
  }),
);

export const Policy = z.discriminatedUnion(
  "algorithm",
  policies as [(typeof policies)[number], ...typeof policies],
  {
    error({ code, input }) {
      if (code !== "invalid_union") return `Give a policy, such as ${EXAMPLE}.`;
      const { algorithm } = input as { algorithm?: unknown };
      return algorithmRemedy(typeof algorithm === "string" ? algorithm : "");
    },
  },
);

const METHOD_REMEDY =
  'Use "*" or methods in capitals, "POST" or ["GET", "POST"]; HEAD counts as GET.';
const Method = z
  .string(METHOD_REMEDY)
  .check(z.regex(/^(?:\*|(?!HEAD$)[A-Z]{1,20})$/, METHOD_REMEDY));

const PATH_REMEDY =
  'Begin with "/". ":name" stands for one segment, a final "*" for the rest, "**" for any number of segments before another one, and a "*" within a segment for any characters. Write characters outside ASCII as they are, not as escapes.';

/** `:name`, or literal text with at most one `*`, without URL syntax, escapes, and dot segments. */
const SEGMENT = /^(?::[\w-]+|(?!$|\.{1,2}$|\*$)[^\s\\:*?#%;{}]*(?:\*[^\s\\:*?#%;{}]*)?)$/;

function isPath(path: string): boolean {
  const [before, ...segments] = path.split("/");
  const last = segments.pop();
  const gap = segments.indexOf("**");
  return (
    before === "" &&
    last !== undefined &&
    (last === "" || last === "*" || SEGMENT.test(last)) &&
    segments.every((segment, i) => i === gap || SEGMENT.test(segment))
  );
}

const COST_REMEDY = "Give a whole number of units from 0.";
const POLICIES_REMEDY = `Give a list of 1 to 16 policies, such as policies = [${EXAMPLE}].`;

export const Rule = z.strictObject(
  {
    method: z._default(
      z.union([Method, z.array(Method).check(z.minLength(1, METHOD_REMEDY))], METHOD_REMEDY),
      "*",
    ),
    path: z.string(PATH_REMEDY).check(z.regex(/^\//, PATH_REMEDY), z.refine(isPath, PATH_REMEDY)),
    policies: z
      .array(Policy, POLICIES_REMEDY)
      .check(z.minLength(1, POLICIES_REMEDY), z.maxLength(16, POLICIES_REMEDY)),
    partition: z.optional(
      z
        .array(z.string(SOURCE_REMEDY).check(z.regex(SOURCE, SOURCE_REMEDY)), SOURCE_LIST_REMEDY)
        .check(z.minLength(1, SOURCE_LIST_REMEDY)),
    ),
    onMissing: z.optional(z.enum(["share", "reject"], 'Use "share" or "reject".')),
    cost: z.optional(z.int(COST_REMEDY).check(z.gte(0, COST_REMEDY))),
    onFailure: z.optional(OnFailure),
  },
  "A rule is a table of method, path, policies, partition, onMissing, cost, onFailure, and nothing else.",
);

export const Rules = z.array(Rule).check(z.minLength(1));

const Until = z.optional(
  z.union([
    z.string().check(
      z.regex(MOMENT),
      z.refine((text) => parseMoment(text) !== undefined),
    ),
    z.number().check(z.gte(EARLIEST_MS), z.lte(LATEST_MS)),
  ]),
);

const Cidr = z.string().check(z.refine((text) => typeof parseCidr(text) !== "string"));

/** An entry of a list, which names clients in one of four ways. */
export const ListEntry = z.union([
  z.strictObject({ cidr: Cidr, until: Until }),
  z.strictObject({ identity: z.string().check(z.minLength(1)), until: Until }),
  z.strictObject({ asn: z.int().check(z.gte(1), z.lte(MAX_ASN)), until: Until }),
  z.strictObject({ country: z.string().check(z.regex(COUNTRY)), until: Until }),
]);

const Entries = z.optional(z.array(ListEntry));

/** The lists, for editors. `compileLists` checks them, because it says more about a faulty entry. */
export const Lists = z.strictObject({ allow: Entries, deny: Entries });
