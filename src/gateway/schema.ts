import * as z from "zod/mini";

import { MAX_STATUSES, STATUS_REMEDY, STATUSES_REMEDY, WHEN_REMEDY } from "../adapter/failures.ts";
import { PLAN, PLAN_REMEDY } from "../adapter/plan.ts";
import type { OptionKind } from "../algorithms/algorithm.ts";
import { WINDOW_RANGE } from "../algorithms/window.ts";
import { LEASE_RANGE } from "../features/leases/read-lease.ts";
import { parseCidr } from "../lists/cidr.ts";
import { EARLIEST_MS, LATEST_MS, MOMENT, parseMoment } from "../lists/moment.ts";
import { type DurationRange, durationRemedy, isDurationWithin } from "../options/duration.ts";
import { integerRemedy } from "../options/positive-integer.ts";
import { EVERYBODY } from "../partition/partition-key.ts";
import { COUNTRY, MAX_ASN } from "../partition/platform-facts.ts";
import { SOURCE } from "../partition/source-text.ts";
import { NAME, NAME_REMEDY } from "../policy/compile.ts";
import { algorithmRemedy, IMPLEMENTATIONS } from "../policy/from-data.ts";
import { COUNTS, COUNTS_REMEDY } from "../policy/limiter-traits.ts";
import { MAX_SHARDS, SHARDS_REMEDY } from "../policy/shards.ts";
import {
  ADVERTISE_REMEDY,
  JITTER_REMEDY,
  MODE_REMEDY,
  MODES,
  SHARE_REMEDY,
  VERDICT_REMEDY,
  VERDICTS,
} from "../policy/traits.ts";
import { tomlOf } from "./check.ts";
import { DIGEST } from "./digests.ts";

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
    z.regex(/^\d{1,15}(?:\.\d{1,6})? ?(?:ms|s|m|h|d)$/, remedy),
    z.refine((value) => isDurationWithin(value, range), remedy),
  );
}

export const OnFailure = z.union(
  [
    z.enum(VERDICTS),
    z.strictObject({
      local: z.strictObject({
        share: z.number().check(z.gt(0, SHARE_REMEDY), z.lte(1, SHARE_REMEDY)),
      }),
    }),
  ],
  tomlOf(VERDICT_REMEDY),
);

const RetryJitter = z.optional(
  z.number(JITTER_REMEDY).check(z.gte(0, JITTER_REMEDY), z.lte(1, JITTER_REMEDY)),
);

/** The schema of an algorithm's own option. */
function option(kind: OptionKind) {
  if (kind.kind === "duration") return duration(WINDOW_RANGE);
  const value = integer(kind.max);
  return kind.default === undefined ? value : z.optional(value);
}

const SingleSource = z.string().check(z.regex(SOURCE));
const Source = z.union([SingleSource, z.array(SingleSource).check(z.minLength(1))]);

/** Without remedies, which `compileSources` has. */
const Sources = z.union([z.literal(EVERYBODY), z.array(Source).check(z.minLength(1))]);

const ON_MISSING_REMEDY = 'Use "share", "reject" or "skip".';

const When = z.strictObject(
  {
    status: z
      .array(
        z.int(STATUS_REMEDY).check(z.gte(100, STATUS_REMEDY), z.lte(599, STATUS_REMEDY)),
        STATUSES_REMEDY,
      )
      .check(z.minLength(1, STATUSES_REMEDY), z.maxLength(MAX_STATUSES, STATUSES_REMEDY)),
  },
  tomlOf(WHEN_REMEDY),
);

/** Derived from each algorithm's description of its options, so that an algorithm is described in one place. */
const policies = Object.entries(IMPLEMENTATIONS).map(([algorithm, implementation]) =>
  z.strictObject({
    algorithm: z.literal(algorithm),
    name: z.optional(z.string(NAME_REMEDY).check(z.regex(NAME, NAME_REMEDY))),
    limit: integer(implementation.maxLimit, implementation.limitHint),
    ...Object.fromEntries(
      Object.entries(implementation.options).map(([name, kind]) => [name, option(kind)]),
    ),
    advertise: z.optional(z.boolean(ADVERTISE_REMEDY)),
    onFailure: z.optional(OnFailure),
    retryJitter: RetryJitter,
    partition: z.optional(Sources),
    onMissing: z.optional(z.enum(["share", "reject", "skip"], ON_MISSING_REMEDY)),
    mode: z.optional(z.enum(MODES, MODE_REMEDY)),
    counts: z.optional(z.enum(COUNTS, COUNTS_REMEDY)),
    when: z.optional(When),
    shards: z.optional(
      z.int(SHARDS_REMEDY).check(z.gte(2, SHARDS_REMEDY), z.lte(MAX_SHARDS, SHARDS_REMEDY)),
    ),
    lease: z.optional(duration(LEASE_RANGE)),
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

/** More than any path; what is compiled of a pattern takes more memory than its text. */
export const MAX_PATH = 2_000;

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

export const RULE_COST_REMEDY =
  "Give a whole number of units from 0, or a table with one for each of some policies by their names.";
const Units = z.int(RULE_COST_REMEDY).check(z.gte(0, RULE_COST_REMEDY));
const QUOTA_REMEDY = "Use true to tell clients at /_tidegate/quota what they have left, or false.";
const POLICIES_REMEDY = `Give a list of 1 to 16 policies, such as policies = [${EXAMPLE}].`;

export const Rule = z.strictObject(
  {
    method: z._default(
      z.union(
        [
          Method,
          z.array(Method).check(z.minLength(1, METHOD_REMEDY), z.maxLength(32, METHOD_REMEDY)),
        ],
        METHOD_REMEDY,
      ),
      "*",
    ),
    path: z
      .string(PATH_REMEDY)
      .check(
        z.regex(/^\//, PATH_REMEDY),
        z.maxLength(MAX_PATH, `Give at most ${MAX_PATH} characters.`),
        z.refine(isPath, PATH_REMEDY),
      ),
    policies: z
      .array(Policy, POLICIES_REMEDY)
      .check(z.minLength(1, POLICIES_REMEDY), z.maxLength(16, POLICIES_REMEDY)),
    partition: z.optional(Sources),
    onMissing: z.optional(z.enum(["share", "reject"], 'Use "share" or "reject".')),
    cost: z.optional(z.union([Units, z.record(z.string(), Units)], RULE_COST_REMEDY)),
    plan: z.optional(z.string(PLAN_REMEDY).check(z.regex(PLAN, PLAN_REMEDY))),
    onFailure: z.optional(OnFailure),
    retryJitter: RetryJitter,
    quota: z.optional(z.boolean(QUOTA_REMEDY)),
  },
  "A rule is a table of method, path, policies, partition, onMissing, cost, plan, onFailure, retryJitter, quota, and nothing else.",
);

export const Rules = z.array(Rule).check(z.minLength(1));

const PlanNumbers = z.record(z.string(), z.union([z.int().check(z.gte(1)), z.string()]));

/** The plans, for editors. `checkPlans` checks them, because it knows the policies. */
export const Plans = z.record(z.string(), z.record(z.string(), PlanNumbers));
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

/** In the list `deny` only, which `compileLists` checks. */
const Digest = z.string().check(z.regex(DIGEST));

/** An entry of a list, which names clients in one of five ways. */
export const ListEntry = z.union([
  z.strictObject({ cidr: Cidr, until: Until }),
  z.strictObject({ identity: z.string().check(z.minLength(1)), until: Until }),
  z.strictObject({ asn: z.int().check(z.gte(1), z.lte(MAX_ASN)), until: Until }),
  z.strictObject({ country: z.string().check(z.regex(COUNTRY)), until: Until }),
  z.strictObject({ digest: Digest, until: Until }),
]);

const Entries = z.optional(z.array(ListEntry));

/** The lists, for editors. `compileLists` checks them, because it says more about a faulty entry. */
export const Lists = z.strictObject({ allow: Entries, deny: Entries });
