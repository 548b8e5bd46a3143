import * as z from "zod/mini";

import type { OptionKind } from "../../algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../../algorithms/all.ts";
import { CALENDAR_UNITS } from "../../algorithms/calendar-units.ts";
import { WINDOW_RANGE } from "../../algorithms/window.ts";
import { MAX_STATUSES } from "../../features/holds/failures.ts";
import { LEASE_RANGE } from "../../features/leases/read-lease.ts";
import { parseCidr } from "../../features/lists/address-ranges.ts";
import { MAX_SHARES } from "../../features/notices-feature.ts";
import { MAX_UNSETTLED } from "../../features/optimistic-feature.ts";
import { PLAN } from "../../features/plans-feature.ts";
import { COUNTS } from "../../features/roles/roles-feature.ts";
import { type DurationRange, isDurationWithin } from "../../options/duration.ts";
import { COST, DURATION, PLAN_SOURCE } from "../../options/messages.ts";
import { EARLIEST_MS, LATEST_MS, MOMENT, parseMoment } from "../../options/moment.ts";
import { EVERYBODY } from "../../partition/key-text.ts";
import { COUNTRY, MAX_ASN } from "../../partition/platform-facts.ts";
import { SOURCE } from "../../partition/source-text.ts";
import { NAME } from "../../policy/compile.ts";
import { MAX_SHARDS } from "../../policy/shards.ts";
import { AUTO, MODES, VERDICTS } from "../../policy/traits.ts";
import { DIGEST } from "./digests.ts";

/*
 * The schema of rules as data, from which the JSON Schema for editors is generated. A rule is checked with `RuleShape`: the
 * fields that only rules have. The others mean the same in code, and are checked where they are compiled.
 */

function integer(max: number) {
  return z.int().check(z.gte(1), z.lte(max));
}

export function duration(range: DurationRange, remedy = DURATION.say(range)) {
  return z.string(remedy).check(
    z.regex(/^\d{1,15}(?:\.\d{1,6})? ?(?:ms|s|m|h|d)$/, remedy),
    z.refine((value) => isDurationWithin(value, range), remedy),
  );
}

export const OnFailure = z.union([
  z.enum(VERDICTS),
  z.strictObject({
    local: z.strictObject({
      share: z.number().check(z.gt(0), z.lte(1)),
    }),
  }),
]);

const RetryJitter = z.optional(z.number().check(z.gte(0), z.lte(1)));

/** The schema of an algorithm's own option. */
function option(kind: OptionKind) {
  if (kind.kind === "duration") return duration(WINDOW_RANGE);
  if (kind.kind === "boolean") return z.optional(z.boolean());
  if (kind.kind === "own") return z.optional(z.unknown());
  const value = integer(kind.max);
  return kind.default === undefined ? value : z.optional(value);
}

/** Moments as rules have them: `until` of a list, and where a calendar's windows begin. */
const Moment = z.union([
  z.string().check(
    z.regex(MOMENT),
    z.refine((text) => parseMoment(text) !== undefined),
  ),
  z.number().check(z.gte(EARLIEST_MS), z.lte(LATEST_MS)),
]);

/** The further options of fixed windows, which may be those of a calendar. */
const OF_CALENDAR = {
  window: z.union([duration(WINDOW_RANGE), z.enum(CALENDAR_UNITS)]),
  timeZone: z.optional(z.string()),
  anchor: z.optional(z.union([integer(31), Moment])),
};

const SingleSource = z.string().check(z.regex(SOURCE));
const Source = z.union([SingleSource, z.array(SingleSource).check(z.minLength(1))]);

const Sources = z.union([z.literal(EVERYBODY), z.array(Source).check(z.minLength(1))]);

const When = z.strictObject({
  status: z
    .array(z.int().check(z.gte(100), z.lte(599)))
    .check(z.minLength(1), z.maxLength(MAX_STATUSES)),
});

const Optimistic = z.union([
  z.literal(true),
  z.strictObject({
    unsettled: z.optional(integer(MAX_UNSETTLED)),
    above: z.optional(z.number().check(z.gte(0), z.lt(1))),
  }),
]);

const Share = z.number().check(z.gt(0), z.lte(1));
const Notify = z.union([Share, z.array(Share).check(z.minLength(1), z.maxLength(MAX_SHARES))]);

/** Derived from each algorithm's description of its options, so that an algorithm is described in one place. */
const policies = Object.entries(IMPLEMENTATIONS).map(([algorithm, implementation]) =>
  z.strictObject({
    algorithm: z.literal(algorithm),
    name: z.optional(z.string().check(z.regex(NAME))),
    limit: integer(implementation.maxLimit),
    ...Object.fromEntries(
      Object.entries(implementation.options).map(([name, kind]) => [name, option(kind)]),
    ),
    ...(algorithm === "fixed-window" && OF_CALENDAR),
    advertise: z.optional(z.boolean()),
    onFailure: z.optional(OnFailure),
    retryJitter: RetryJitter,
    partition: z.optional(Sources),
    onMissing: z.optional(z.enum(["share", "reject", "skip"])),
    mode: z.optional(z.enum(MODES)),
    counts: z.optional(z.enum(COUNTS)),
    when: z.optional(When),
    shards: z.optional(z.int().check(z.gte(2), z.lte(MAX_SHARDS))),
    lease: z.optional(z.union([z.literal(AUTO), duration(LEASE_RANGE)])),
    optimistic: z.optional(Optimistic),
    notify: z.optional(Notify),
  }),
);

export const Policy = z.discriminatedUnion(
  "algorithm",
  policies as [(typeof policies)[number], ...typeof policies],
);

const METHOD_REMEDY =
  'Use "*" or methods in capitals, "POST" or ["GET", "POST"]; HEAD counts as GET.';
const Method = z
  .string(METHOD_REMEDY)
  .check(z.regex(/^(?:\*|(?!HEAD$)[A-Z]{1,20})$/, METHOD_REMEDY));

const PATH_REMEDY =
  'Begin with "/". ":name" stands for one segment, a final "*" for the rest, "**" for any number of segments before another one, and a "*" within a segment for any characters. Write characters outside ASCII as they are, not as escapes.';

/** For a text that is no path: a method with a path, a host, or an asterisk that was to cover everything. */
const NO_PATH_REMEDY =
  'Begin with "/": "/*" covers every path. Methods stand in the field method, and hosts do not belong here.';

/** More than any path; a compiled pattern takes more memory than its text. */
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

const Units = z.int().check(z.gte(0));
const QUOTA_REMEDY = "Use true to tell clients at /_tidegate/quota what they have left, or false.";

/** The fields that only rules have. */
const own = {
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
      z.regex(/^\//, NO_PATH_REMEDY),
      z.maxLength(MAX_PATH, `Give at most ${MAX_PATH} characters.`),
      z.refine(isPath, PATH_REMEDY),
    ),
  quota: z.optional(z.boolean(QUOTA_REMEDY)),
};

/** The fields that code has, too. */
const shared = {
  policies: z.array(Policy).check(z.minLength(1), z.maxLength(16)),
  partition: z.optional(Sources),
  onMissing: z.optional(z.enum(["share", "reject"])),
  cost: z.optional(z.union([Units, z.record(z.string(), Units)])),
  plan: z.optional(z.string().check(z.regex(PLAN))),
  onFailure: z.optional(OnFailure),
  retryJitter: RetryJitter,
};

const { method, path, quota } = own;

/** A rule, for editors. */
export const Rule = z.strictObject({ method, path, ...shared, quota });

/** The fields that are compiled as they are: anything but a function, which code may give and data may not. */
const compiled = Object.fromEntries(
  Object.keys(shared).map((field) => [field, z.optional(z.unknown())]),
) as Record<keyof typeof shared, z.ZodMiniOptional<z.ZodMiniUnknown>>;
const isData = (value: unknown) => typeof value !== "function";

/** The fields of a rule, and the types of those that only rules have. */
export const RuleShape = z.strictObject(
  {
    method,
    path,
    ...compiled,
    cost: z.optional(z.unknown().check(z.refine(isData, COST.say))),
    plan: z.optional(z.unknown().check(z.refine(isData, PLAN_SOURCE.say))),
    quota,
  },
  `A rule is a table of ${["method", "path", ...Object.keys(shared), "quota"].join(", ")}, and nothing else.`,
);

export const Rules = z.array(Rule).check(z.minLength(1));

const PlanNumbers = z.record(
  z.string(),
  z.union([z.int().check(z.gte(1)), z.string(), z.boolean()]),
);

/** The plans, for editors. `checkPlans` checks them, because it knows the policies. */
export const Plans = z.record(z.string(), z.record(z.string(), PlanNumbers));
const Until = z.optional(Moment);

const Cidr = z.string().check(z.refine((text) => parseCidr(text) !== undefined));

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
