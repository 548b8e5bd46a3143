import { expect, test } from "vitest";

import * as ofDocuments from "../../src/gateway/rules/document-messages.ts";
import * as ofOverrides from "../../src/gateway/rules/override-messages.ts";
import * as ofVariables from "../../src/gateway/rules/variable-messages.ts";
import * as ofAll from "../../src/options/messages.ts";
import { faultsOf } from "../gateway/faults.ts";

/** For each kind whose sentence is a function, the values that it is shown with. */
type Values<Kinds> = {
  readonly [
    Name in keyof Kinds as Kinds[Name] extends { say: (values: never) => string } ? Name : never
  ]: Kinds[Name] extends { say: (values: infer Given) => string } ? readonly Given[] : never;
};

const known = ["limit", "window"];
const many = Array.from({ length: 32 }, (_, i) => `n${i}`);

const VALUES_OF_ALL: Values<typeof ofAll> = {
  UNKNOWN_OPTION: [
    { meant: "limit", known },
    { meant: undefined, known },
  ],
  NAME_ELSEWHERE: ["limit: 100"],
  INTEGER: [{ max: 60 }, { max: 100_000, hint: ", or a segmented-window for more" }],
  DURATION: [
    { min: "1ms", max: "366d", example: "10s" },
    { min: "1ms", max: "366d", example: "10s", namesCalendar: true },
  ],
  CHOICE: [["share", "reject"], ["share", "reject", "skip"], ["on"]],
  FUNCTION: ["takes a decision"],
  POLICY_LIST: [16],
  SAME_NAME: ["policies[0]"],
  ANCHOR_DAY: [{ unit: "week", last: 7 }],
  ANCHOR_MOMENT: [{ unit: "day" }],
  SLOW_REFILL: [{ refill: 1, seconds: 3_600 }],
  PLAIN_VALUE: [
    { maker: "shadow", value: "shadow" },
    { maker: "soft", value: "soft" },
    { maker: "shards", value: 8 },
    { maker: "lease", value: "100ms" },
    { maker: "optimistic", value: true },
    { maker: "denials", value: "denials" },
    { maker: "client", value: "a secret" },
    { maker: "plans", value: {} },
    { maker: "jwt", value: {} },
  ],
  PLAIN_SOURCE: [
    { kind: "header", name: "x-key" },
    { kind: "subnet", name: "" },
    { kind: "jwt", name: "sub" },
  ],
  ALGORITHM: [
    { meant: "fixed-window", known: ["fixed-window", "token-bucket"] },
    { meant: undefined, known: ["fixed-window", "token-bucket"] },
  ],
  SHARDS: [64],
  SHARDS_ABOVE_LIMIT: [1, 10],
  LIMIT_BELOW_SHARDS: [4],
  LONG_LEASE: [50],
  LEASES_DIFFER: [0],
  REGION_WITH: ["store"],
  CREDIT_TOO_LARGE: [{ name: "api", least: 40 }],
  NO_REQUEST_FOR_REGION: [
    [
      { name: "api", option: "refundable" },
      { name: "short", option: undefined },
    ],
  ],
  NAMESPACE: [{ class: "TidegateObject", binding: "LIMITS" }],
  OPTIMISM_DIFFERS: [0],
  OPTIMISM_IS_LATE: ["shards"],
  NOTIFY: [8],
  POLICY_OF_PLAN: [
    { meant: "rides", known: ["rides"] },
    { meant: undefined, known: many },
  ],
  PLAN_NUMBERS: [known],
  NUMBER_MISFITS: [{ option: "anchor", value: "15", remedy: "Give a day of the week." }],
  BLOCK_FROM: [5],
  ASN: [4_294_967_295],
  CIDR_PREFIX: [32],
  CIDR_BITS: [{ range: "10.0.0.0/8", address: "10.1.2.3" }],
  MANY_SOURCES: [16],
  UNREACHABLE_SOURCE: ["partition[0]"],
  SOURCE: [
    { meant: "cookie", examples: ["ip", "subnet", "header:x-api-key", "path:id"] },
    { examples: ["ip", "header:x-api-key"] },
  ],
  SOURCE_WITHOUT_NAME: ["cookie:session"],
  SOURCE_NAME: [{ characters: "a-z", example: "query:key" }],
  UNKNOWN_SEGMENT: [
    { name: "id", others: ["a", "b"] },
    { name: "id", others: [] },
  ],
  STATUSES: [32],
  JWT_NAMES: [16],
  JWT_ALGORITHMS: [["HS256", "HS384"]],
  UNKNOWN_MODEL: ["gpt-5-mini", undefined],
  UNKNOWN_TIER: ["gpt-5"],
  UNPRICED_PART: [{ model: "gpt-5", price: "search" }],
};

const VALUES_OF_VARIABLES: Values<typeof ofVariables> = {
  SHAPE: ["The schema's own."],
  UNKNOWN_FIELD: [
    { meant: "plan", sentence: "The schema's own." },
    { meant: undefined, sentence: "The schema's own." },
  ],
  MISSPELT_VARIABLE: ["TIMEOUT"],
  NAMED_TOKENS: [100],
  REGION_STORES_TEXT: ["at position 12"],
  FEW_REGIONS: [5],
  RULES_TEXT: ["at position 12", ""],
  PLANS_TEXT: ["at position 12"],
  LISTS_TEXT: ["at position 12"],
  CORS_TEXT: ["at position 12"],
  JWT_TEXT: ["at position 12"],
  SEARCHED_SEGMENTS: [100],
  NAME_IN_RULES: [
    { index: 0, route: "GET /a" },
    { index: 0, route: "" },
  ],
};

const VALUES_OF_OVERRIDES: Values<typeof ofOverrides> = {
  OVERRIDES: [10_000],
  PATTERNS: [1_000],
  PLAN_OF_OVERRIDE: [
    { meant: "gold", known: ["gold"] },
    { meant: undefined, known: [] },
  ],
  TABLES: [10],
};

const VALUES_OF_DOCUMENTS: Values<typeof ofDocuments> = {
  RULES: [1_000],
  NEWER: ["live-1.schema.json"],
  ENTRIES: [10_000],
  OVERRIDES: [10_000],
  LISTS_IN_RULE: [1_000],
  MANY_PLANS: [100],
  BYTES: [900_000],
  NO_JSON: ["at position 12", ""],
};

interface Kind {
  readonly code: string;
  readonly say: string | ((values: unknown) => string);
}

/** A kind a paragraph, each of its sentences a line. */
function sentencesOf(messages: object, values: object): string {
  return Object.entries(messages as Record<string, Kind>)
    .filter(([, kind]) => Object.hasOwn(kind, "say"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { code, say }]) => {
      if (typeof say === "string") return `${name}: ${code}\n  ${say}\n`;
      const shown = (values as Record<string, readonly unknown[]>)[name]!;
      return `${name}: ${code}\n${shown.map((each) => `  ${say(each)}\n`).join("")}`;
    })
    .join("");
}

test("the sentence of every kind of fault, with its code", async () => {
  const all = [
    sentencesOf(ofAll, VALUES_OF_ALL),
    sentencesOf(ofVariables, VALUES_OF_VARIABLES),
    sentencesOf(ofOverrides, VALUES_OF_OVERRIDES),
    sentencesOf(ofDocuments, VALUES_OF_DOCUMENTS),
  ];
  await expect(all.join("\n")).toMatchFileSnapshot("sentences.txt");
});

const policies = [{ algorithm: "fixed-window", name: "p", limit: 5, window: "1m" }];
const sound = {
  ORIGIN: "https://origin.example",
  STORE: "memory",
  CLIENT_IP: "cloudflare",
  RULES: [{ path: "/a", policies }],
};
const withCors = (cors: object) => ({ CORS: { origin: "*", ...cors } });
const withRule = (rule: object) => ({ RULES: [{ path: "/a", policies, ...rule }] });

/** Variables of the gateway, each with a fault that a schema finds. */
const FAULTY_VARIABLES: readonly object[] = [
  { ORIGIN: undefined },
  { ORIGIN: "https://x?y" },
  { ORIGIN: `https://${"x".repeat(2_048)}` },
  { ORIGIN: "zone" },
  { ORIGIN_TIMEOUT: "5" },
  { ON_ERROR: "5" },
  { STORE: "5" },
  { PREFIX: "a{b}" },
  { TIMEOUT: "5" },
  { SHARED_DENIALS: "5" },
  { REDIS_DIALECT: "5" },
  { AMBIGUOUS_PATHS: "5" },
  { LIVE_REFRESH: "5" },
  { LIVE_RULES: "5" },
  { CONTROL: "5" },
  { METRICS: "5" },
  { METRICS_FLUSH: "5" },
  { METRICS_IDENTITIES: "5" },
  { DENIAL_LOG: "5" },
  { ADMIN_HOST: "https://x" },
  { CORS: [] },
  withCors({ origin: "x" }),
  withCors({ allowMethods: ["get"] }),
  withCors({ allowHeaders: ["a b"] }),
  withCors({ maxAge: -1 }),
  withCors({ credentials: "yes" }),
  withCors({ credentials: true }),
  { RULES: [5] },
  withRule({ limits: 5 }),
  withRule({ method: "get" }),
  withRule({ path: "POST /a" }),
  withRule({ path: "/a/../b" }),
  withRule({ path: `/${"a".repeat(2_000)}` }),
  withRule({ quota: 5 }),
];

test("the sentences of schemas, each after the place of its fault", async () => {
  const lines = FAULTY_VARIABLES.map((variables) => {
    const [fault] = faultsOf({ ...sound, ...variables });
    return `${fault!.path}: ${fault!.code}\n  ${fault!.remedy}\n`;
  });
  await expect(lines.join("")).toMatchFileSnapshot("sentences-of-schemas.txt");
});
