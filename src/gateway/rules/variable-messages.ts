import { didYouMean } from "../../options/messages.ts";

/* The sentences of faults that only the gateway's variables and rules have. */

// Faults that a schema finds. It has the sentences beside the shapes.

export const SHAPE = { code: "shape", say: (sentence: string) => sentence } as const;

export const UNKNOWN_FIELD = {
  code: "unknown-option",
  say: ({ meant, sentence }: { meant: string | undefined; sentence: string }) =>
    didYouMean(meant) + sentence,
} as const;

// Variables.

export const NO_DURABLE_OBJECTS = {
  code: "unsupported",
  say: "Give createGateway() the durableObjectStore of tidegate/durable-object.",
} as const;

export const NO_OBJECT_BINDING = {
  code: "missing",
  say: "Bind the class TidegateObject under this name, with new_sqlite_classes, or use another STORE.",
} as const;

export const TWO_REGIONS = {
  code: "conflict",
  say: "Leave out this or REGION_STORES, which has the addresses of several.",
} as const;

export const REGION_STORES = {
  code: "shape",
  say: 'Give a table of stores by their names, where variables are text as JSON: { "fra": { "url": "https://fra.example.com", "at": [50.1, 8.7] } }.',
} as const;

export const REGION_STORES_TEXT = {
  code: "no-json",
  say: (place: string) => `${REGION_STORES.say} ${noJson(place)}`,
} as const;

export const NO_PLACE = {
  code: "missing",
  say: "Give the latitude and longitude of the store, such as [50.1, 8.7]: each request goes to the nearest. Or set REGION_NAME.",
} as const;

export const FEW_REGIONS = {
  code: "conflict",
  say: (least: number) => `Give ${least} or more: REGION_STORES has as many.`,
} as const;

export const NO_REGION_OBJECTS = {
  code: "unsupported",
  say: "Give url, the address of a Redis, or createGateway() the durableObjectRegion of tidegate/durable-object.",
} as const;

export const NO_REGION_BINDING = {
  code: "missing",
  say: "Bind the class TidegateRegion under this name, with new_sqlite_classes, or use stores without a locationHint.",
} as const;

export const MISSPELT_VARIABLE = {
  code: "unknown-option",
  say: (meant: string) => `Did you mean ${meant}? Rename it.`,
} as const;

export const NO_SHARING = {
  code: "unsupported",
  say: "Leave it out, except on Cloudflare Workers with STORE=redis: it shares what one Redis said to the isolates of a data centre.",
} as const;

export const TWO_CONTROLS = {
  code: "conflict",
  say: "Leave out CONTROL_REDIS_REST_URL and CONTROL_REDIS_REST_TOKEN, or this.",
} as const;

export const NO_LIVE_RULES = {
  code: "unsupported",
  say: "Give the gateway a Redis or Durable Objects for its control data, with CONTROL_REDIS_REST_URL or CONTROL if the counts are elsewhere, and leave LIVE_REFRESH out or give it a time.",
} as const;

export const METRICS_IN_MEMORY = {
  code: "unsupported",
  say: "Leave it out with STORE=memory, where no isolate knows the counts of another.",
} as const;

export const NO_METRICS = {
  code: "missing",
  say: "Give createGateway() the metrics of tidegate/admin, too.",
} as const;

const DRAWN =
  "Give 20 to 256 printable ASCII characters without blanks, drawn at random: `openssl rand -base64 32`. While one is replaced, give both with a blank between them.";

export const TOKEN = { code: "shape", say: DRAWN } as const;

export const EXAMPLE_TOKEN = {
  code: "shape",
  say: `It looks like an example, which others know. ${DRAWN}`,
} as const;

export const SAME_TOKEN = {
  code: "duplicate",
  say: "Give another one than ADMIN_TOKEN, or leave it out.",
} as const;

export const NAMED_TOKENS = {
  code: "shape",
  say: (max: number) =>
    `Give a table of 1 to ${max} names, each with the SHA-256 of a token; where variables are text, as JSON: { "ada": "sha256:…" }.`,
} as const;

export const NAMED_TOKEN = {
  code: "shape",
  say: 'Give a name of 1 to 64 letters, digits or _.@+- (not "gateway"), and "sha256:" with 64 hexadecimal digits: `printf %s "$TOKEN" | sha256sum`.',
} as const;

export const NOTICE_URL = {
  code: "shape",
  say: 'Give an address without credentials, such as "https://hooks.example.com/limits".',
} as const;

export const NOTICE_SECRET = {
  code: "shape",
  say: "Give whsec_ and 24 to 64 random bytes in base64: `echo whsec_$(openssl rand -base64 32)`. While one is replaced, give both with a blank between them.",
} as const;

export const NO_NOTICE_SECRET = {
  code: "missing",
  say: `Set it, as a secret: the receiver knows by it who sends. ${NOTICE_SECRET.say}`,
} as const;

export const NO_NOTICE_URL = {
  code: "missing",
  say: "Set it, or leave out NOTICE_SECRET.",
} as const;

/** `place`: where the text stops being JSON, such as `at position 12`. */
const noJson = (place: string) => `${`It is no JSON ${place}`.trim()}.`;

export const RULES_TEXT = {
  code: "no-json",
  say: (place: string) => `${RULES.say} ${noJson(place)}`,
} as const;

export const RULES = {
  code: "shape",
  say: "Give a list of at least one rule: in wrangler.toml tables [[vars.RULES]], not [[RULES]]; where variables are text, as JSON.",
} as const;

export const PLANS_TEXT = {
  code: "no-json",
  say: (place: string) =>
    `Give a table of plans by name; where variables are text, as JSON. ${noJson(place)}`,
} as const;

export const LISTS_TEXT = {
  code: "no-json",
  say: (place: string) =>
    `Give a table of allow and deny; where variables are text, as JSON. ${noJson(place)}`,
} as const;

export const CORS_TEXT = {
  code: "no-json",
  say: (place: string) =>
    `Give a table with an origin; where variables are text, as JSON. ${noJson(place)}`,
} as const;

export const JWT_TEXT = {
  code: "no-json",
  say: (place: string) =>
    `Give a table with jwks, issuer and audience; where variables are text, as JSON. ${noJson(place)}`,
} as const;

// Rules.

export const SEARCHED_SEGMENTS = {
  code: "too-many",
  say: (max: number) =>
    `Leave out the "**" or the last "*": between the two, all rules together may have ${max} segments, because they are looked for everywhere in a request's path.`,
} as const;

export const REFUND_IN_RULE = {
  code: "unsupported",
  say: 'Leave it out: the gateway does not know what a request really cost. Requests that did not fail come back with "counts": "failures".',
} as const;

/** `route`: the other rule's methods and path; empty if they are not readable. */
export interface OtherRule {
  readonly index: number;
  readonly route: string;
}

export const NAME_IN_RULES = {
  code: "duplicate",
  say: ({ index, route }: OtherRule) =>
    `A policy of rule [${index}] has this name, too${route && ` (${route})`}: give each its own, or both would share one count.`,
} as const;
