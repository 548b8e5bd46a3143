import { type HomeReason, whyHome } from "./home-reason.ts";

/** The most names in a message: thousands of faults, or thousands of names in one, would fill an isolate's memory. */
export const MAX_NAMES = 30;

/** Begins the sentence about an unknown word that resembles a known one; empty if it resembles none. */
export function didYouMean(meant: string | undefined): string {
  return meant ? `Did you mean \`${meant}\`? ` : "";
}

/** Names for a sentence, the first of them if there are many. */
export function namesIn(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/*
 * The sentences, one for each kind of fault. A sentence says what to do, and is true in code, in variables and in a
 * document. Where data has the option, too, the example is JSON, which is also code. The files of messages in
 * src/gateway/rules have the kinds that only data has.
 */

// Options of any kind.

export const OPTIONS = { code: "shape", say: "Give an object of options." } as const;

export const UNKNOWN_OPTION = {
  code: "unknown-option",
  say: ({ meant, known }: { meant: string | undefined; known: readonly string[] }) =>
    `${didYouMean(meant)}The options are ${known.join(", ")}, and nothing else.`,
} as const;

export const NAME_ELSEWHERE = {
  code: "unknown-option",
  say: (ours: string) => `Here it is \`${ours}\`.`,
} as const;

/** `hint` continues the sentence, such as `, or a segmented-window for more`. */
export const INTEGER = {
  code: "range",
  say: ({ max, hint = "" }: { max: number; hint?: string | undefined }) =>
    `Give a whole number from 1 to ${max}${hint}.`,
} as const;

/** `namesCalendar` is for values such as "1 month". */
export const DURATION = {
  code: "range",
  say: ({
    min,
    max,
    example,
    namesCalendar = false,
  }: {
    min: string;
    max: string;
    example: string;
    namesCalendar?: boolean;
  }) =>
    `Give a time with its unit (ms, s, m, h or d) from "${min}" to "${max}", such as "${example}".` +
    (namesCalendar
      ? ' A fixed window, but not that of limit(), may be a month, week, day or hour of a calendar: month() in code, "month" in rules.'
      : ""),
} as const;

export const FINITE = { code: "shape", say: "Give a number." } as const;

export const SECONDS = { code: "range", say: "Give a number of seconds from 0 on." } as const;

export const MILLISECONDS = {
  code: "range",
  say: "Give a number of milliseconds from 0 on.",
} as const;

export const MILLISECONDS_ABOVE_0 = {
  code: "range",
  say: "Give a number of milliseconds above 0.",
} as const;

export const CHOICE = {
  code: "choice",
  say: (words: readonly string[]) =>
    `Use ${words.map((word) => `"${word}"`).join(", ")}.`.replace(/, ("[^"]*"\.)$/, " or $1"),
} as const;

/** `does` continues the sentence, such as `takes a decision`. */
export const FUNCTION = {
  code: "shape",
  say: (does: string) => `Give a function that ${does}.`,
} as const;

// A policy.

export const POLICY_LIST = {
  code: "shape",
  say: (max: number) =>
    `Give a list of 1 to ${max} policies: in code [tokenBucket({ ... })], in a rule [{ "algorithm": "token-bucket", ... }].`,
} as const;

export const POLICY = {
  code: "shape",
  say: 'Give a policy: in code one made by tokenBucket() or another builder, in a rule { "algorithm": "token-bucket", "name": "api", "limit": 20, "refill": 10, "per": "1s" }.',
} as const;

export const NAME = {
  code: "shape",
  say: "Use 1 to 64 ASCII letters, digits, dots, underscores or dashes, the first a letter or digit.",
} as const;

export const SAME_NAME = {
  code: "duplicate",
  say: (other: string) =>
    `${other} has this name, too: give each policy its own, or both would share one count.`,
} as const;

export const BOOLEAN = { code: "shape", say: "Give true or false." } as const;

export const CALENDAR_UNIT = {
  code: "choice",
  say: 'Use "month", "week", "day" or "hour": a policy with windows of a calendar has no length, in a plan or an override neither.',
} as const;

export const CALENDAR_ONLY = {
  code: "conflict",
  say: 'Only windows of a calendar have it: "month", "week", "day" or "hour". A time such as "1d" is the same everywhere.',
} as const;

export const UNALIGNED_CALENDAR = {
  code: "conflict",
  say: "Leave it out: windows of a calendar begin with its months, weeks, days or hours.",
} as const;

export const TIME_ZONE = {
  code: "unknown-name",
  say: 'Give the IANA name of a time zone, such as "Europe/Berlin", or "UTC".',
} as const;

/** `last` is the greatest number that is a day. */
export const ANCHOR_DAY = {
  code: "range",
  say: ({ unit, last }: { unit: string; last: number }) =>
    `Give a day of the ${unit} from 1 to ${last}, or a moment such as "2026-03-15T10:30:00Z", whose day it is.`,
} as const;

export const ANCHOR_MOMENT = {
  code: "shape",
  say: ({ unit }: { unit: string }) =>
    `Give a moment such as "2026-03-15T10:30:00Z", with whose time each ${unit} begins.`,
} as const;

export const ADVERTISE = {
  code: "shape",
  say: "Give true, or false to tell clients nothing of the policy.",
} as const;

export const VERDICT = {
  code: "choice",
  say: 'Use "open", "closed" or "local", or { "local": { "share": 0.1 } } for a tenth of the limit in each isolate.',
} as const;

export const SHARE = {
  code: "range",
  say: "Give a number above 0, up to 1: with 0.1, each isolate admits a tenth of the limit.",
} as const;

export const JITTER = {
  code: "range",
  say: "Give a number from 0 to 1: with 0.1, clients are told to wait up to a tenth longer.",
} as const;

export const SLOW_REFILL = {
  code: "range",
  say: ({ refill, seconds }: { refill: number; seconds: number }) =>
    `At ${refill} per ${seconds} s the bucket would take more than 366 days to refill: lower the limit or raise the refill.`,
} as const;

// Options that limit() lacks.

export const ONLY_IN_LIMITERS = {
  code: "unsupported",
  say: "Leave it out, or use createLimiter(): limit() has none.",
} as const;

export const ONLY_WITH_HOLDS = {
  code: "unsupported",
  say: "Use createLimiter(), and reserve(): limit() has no holds.",
} as const;

// Options that take what a function makes.

export const PLAIN_VALUE = {
  code: "shape",
  say: ({ maker, value }: { maker: string; value: unknown }) => {
    const entry = maker === "jwt" ? "tidegate/jwt" : "tidegate";
    const start = `Import { ${maker} } from "${entry}", and`;
    if (maker === "shadow" || maker === "soft") {
      return `${start} wrap the policy: ${maker}(tokenBucket({ ... })).`;
    }
    if (maker === "client") {
      return `${start} give client(...) for new Redis() of @upstash/redis. For ioredis or node-redis, give fromIoredis(...) or fromNodeRedis(...) of tidegate/node.`;
    }
    // A text may be a credential, but for the time of a lease.
    const isShown = typeof value === "number" || (maker === "lease" && typeof value === "string");
    const isWord = value === true || value === maker;
    return `${start} give ${maker}(${isShown ? JSON.stringify(value) : isWord ? "" : "..."}).`;
  },
} as const;

export const PLAIN_SOURCE = {
  code: "shape",
  say: ({ kind, name }: { kind: string; name: string }) => {
    const [maker, entry] = kind === "jwt" ? ["claim", "tidegate/jwt"] : [kind, "tidegate"];
    return `Import { ${maker} } from "${entry}", and give ${maker}(${name && JSON.stringify(name)}).`;
  },
} as const;

// The address of Redis.

export const REDIS_VARIABLE = {
  code: "missing",
  say: "Set this variable: on Workers as a variable or secret, for wrangler dev in .dev.vars before it starts. In code, createLimiter() and rateLimit() take redis: { url, token }, or store: memoryStore() to try it without a Redis; the gateway takes STORE=memory.",
} as const;

export const REDIS_TOKEN_VARIABLE = {
  code: "missing",
  say: "Set this variable, too: the token of the Redis REST API.",
} as const;

export const REDIS_URL = {
  code: "shape",
  say: 'Give the HTTP address of the Redis REST API, "https://...", without user, password, query, spaces or quotes. For redis://, give fromIoredis(...) or fromNodeRedis(...) of tidegate/node, or run @tidegate/redis-rest.',
} as const;

export const REDIS_TOKEN = {
  code: "shape",
  say: 'Give the token of the Redis REST API, without "Bearer", quotes, spaces or line breaks.',
} as const;

// A limiter's policies together.

export const ALGORITHM = {
  code: "choice",
  say: ({ meant, known }: { meant: string | undefined; known: readonly string[] }) =>
    `${meant ? `Did you mean "${meant}"? ` : ""}Use one of ${known.join(", ")}.`,
} as const;

export const DIMENSION = {
  code: "shape",
  say: 'Use "*" for everybody, or 1 to 32 ASCII letters, digits, underscores or dashes, the first a letter.',
} as const;

export const NO_DIMENSION = {
  code: "missing",
  say: 'Say what this policy counts by, as the others do: a dimension of the identity, or "*" for everybody.',
} as const;

export const MODE_OF_DENIALS = {
  code: "conflict",
  say: "Leave out the mode: what counts denials is either enforced or left out.",
} as const;

export const ONLY_DENIALS = {
  code: "missing",
  say: "Add a policy that counts requests: this one counts the denials of others.",
} as const;

export const REFUNDABLE = {
  code: "shape",
  say: "Give true if holds of this policy give back, else false.",
} as const;

export const REFUND_OF_DENIALS = {
  code: "conflict",
  say: "Leave it out: nothing is reserved of a policy that counts denials.",
} as const;

export const NO_REFUND_OF_FAILURES = {
  code: "conflict",
  say: "Leave it out: what counts failures gives back all other requests.",
} as const;

export const STORE_WITHOUT_REFUND = {
  code: "unsupported",
  say: "Leave it out, or use a store with refund(): this one cannot give back.",
} as const;

export const SHARDS = {
  code: "range",
  say: (max: number) => `Give a whole number from 2 to ${max}, or leave it out for one key.`,
} as const;

export const SHARDS_ABOVE_LIMIT = {
  code: "conflict",
  say: (limit: number) =>
    `${limit < 2 ? "Leave it out" : `Give at most ${limit}`}: each shard needs at least one unit of the limit.`,
} as const;

export const LIMIT_BELOW_SHARDS = {
  code: "conflict",
  say: (shards: number) =>
    `Give at least ${shards}: each shard needs at least one unit of the limit.`,
} as const;

export const SHARDS_OF_DENIALS = {
  code: "conflict",
  say: "Leave it out: what counts denials has one count of them.",
} as const;

export const SHARDS_WITH_LEASE = {
  code: "conflict",
  say: "Leave out this or lease: a lease takes the units of one key in advance.",
} as const;

export const SHARDS_OF_SLOTS = {
  code: "unsupported",
  say: "Leave it out: all slots of an identity are under one key.",
} as const;

export const DENIALS_OF_SLOTS = {
  code: "unsupported",
  say: "Leave it out: a slot belongs to a hold, and a denied request has none.",
} as const;

export const FAILURES_OF_SLOTS = {
  code: "unsupported",
  say: "Leave it out: a slot is freed when its hold ends, however it ends.",
} as const;

// Leases.

export const LEASE_OF_SLOTS = {
  code: "unsupported",
  say: "Leave it out: each hold takes a slot of its own, never in advance.",
} as const;

export const NO_LEASE_FITS = {
  code: "conflict",
  say: "No lease fits these policies: leave it out, or raise their limits or windows.",
} as const;

export const LONG_LEASE = {
  code: "conflict",
  say: (maxMs: number) => `It takes too much of these policies' limits: give "${maxMs}ms" or less.`,
} as const;

export const LEASES_DIFFER = {
  code: "conflict",
  say: (first: number) =>
    `Give it the lease of policies[${first}], or both none: policies that count the same are leased together.`,
} as const;

export const LEASE_OF_DENIALS = {
  code: "conflict",
  say: "Leave out the lease of this policy: what counts denials looks at every request, so Redis has to decide it.",
} as const;

export const LEASE_OF_FAILURES = {
  code: "conflict",
  say: "Leave out the lease of this policy: an isolate cannot give back what it leased for many requests.",
} as const;

export const LEASE_WITH_REFUND = {
  code: "conflict",
  say: "Leave out this or the lease: an isolate cannot give back what it leased for many requests.",
} as const;

export const LEASE_WITH_SHARING = {
  code: "conflict",
  say: "Leave out this or sharedDenials: while one isolate waits for its next lease, others may still hold units.",
} as const;

// Regions.

export const REGION_REDIS = {
  code: "shape",
  say: "Give the Redis nearby: { url, token }, or what client() returns.",
} as const;

export const REGION_STORE = {
  code: "shape",
  say: "Give what durableObjectRegion() returns, and no redis beside it.",
} as const;

export const REGION_WITH = {
  code: "conflict",
  say: (other: string) =>
    `Leave out this or ${other}: a region takes its units from a Redis, and knows its denials itself.`,
} as const;

export const REGION_OF_CLUSTER = {
  code: "unsupported",
  say: "Leave it out: a Redis Cluster is no home of regions, and no region.",
} as const;

export const REGIONS_OF_CREDIT = {
  code: "conflict",
  say: "Give regions, too: home lowers each limit by what all regions may admit on credit.",
} as const;

export const CREDIT_TOO_LARGE = {
  code: "conflict",
  say: ({ name, least }: { name: string; least: number }) =>
    `Regions may admit half of a limit on credit at most: give a lower credit, or "${name}" a limit from ${least} on.`,
} as const;

export const NO_REQUEST_FOR_REGION = {
  code: "conflict",
  say: (reasons: readonly HomeReason[]) =>
    `Leave it out, or keep such policies in another limiter: home has to decide each request. ${whyHome(reasons)}.`,
} as const;

// Optimistic decisions.

export const OPTIMISTIC = {
  code: "shape",
  say: 'Use true, or { "unsettled": 1, "above": 0.5 } with your numbers.',
} as const;

export const ABOVE = {
  code: "range",
  say: "Give a share of the limit, from 0 to below 1.",
} as const;

export const OPTIMISM_DIFFERS = {
  code: "conflict",
  say: (first: number) =>
    `Give policies[${first}] and this one both the option, or neither: they count the same, and if Redis decides one of them, both wait.`,
} as const;

export const OPTIMISM_IS_LATE = {
  code: "conflict",
  say: (option: string) =>
    `Leave out this or ${option}, for which Redis has to count a request before it is answered.`,
} as const;

export const OPTIMISM_WITH_LEASE = {
  code: "conflict",
  say: 'Leave out this or the lease: what an isolate holds it spends without waiting, and without an excess. Or use lease: "auto", which goes together with it.',
} as const;

export const OPTIMISM_OF_SLOTS = {
  code: "unsupported",
  say: "Leave it out: a slot is taken before a request begins, never afterwards.",
} as const;

// Notices.

export const NOTIFY = {
  code: "shape",
  say: (max: number) => `Give a share of the limit, such as 0.8, or a list of 1 to ${max}.`,
} as const;

export const SHARE_OF_LIMIT = {
  code: "range",
  say: "Give a share of the limit, above 0 and at most 1, such as 0.8.",
} as const;

export const NOTIFY_TWICE = {
  code: "duplicate",
  say: "Leave it out: the list has this share already.",
} as const;

// Tools of MCP servers.

export const ENDPOINT = { code: "shape", say: 'Give a path, such as "/mcp".' } as const;

export const TOOLS = {
  code: "shape",
  say: 'Give a list of names, such as ["search", "fetch"].',
} as const;

export const TOOL = {
  code: "shape",
  say: "Use 1 to 128 ASCII letters, digits, dots, underscores, dashes or slashes.",
} as const;

export const FIELD_NAME = {
  code: "shape",
  say: 'Give the name of a header field, such as "x-mcp-tool".',
} as const;

export const CALL_STATUS = {
  code: "choice",
  say: "Use 429, or 200 for clients that read an error only there.",
} as const;

// Plans.

export const PLANS = {
  code: "shape",
  say: 'Give plans by their names, and in each the policies that differ: { "gold": { "rides": { "limit": 200 } } }.',
} as const;

export const PLAN = {
  code: "shape",
  say: 'Give policies by their names, and of each the numbers that differ: { "rides": { "limit": 200 } }.',
} as const;

export const POLICY_OF_PLAN = {
  code: "unknown-name",
  say: ({ meant, known }: { meant: string | undefined; known: readonly string[] }) =>
    `${didYouMean(meant)}Use the name of a policy: ${namesIn(known)}.`,
} as const;

export const PLAN_NUMBERS = {
  code: "shape",
  say: (names: readonly string[]) => `Give those that differ by their names: ${names.join(", ")}.`,
} as const;

/** `option`, `value` and `remedy`: those of the policy's own option that a number does not go with. */
export const NUMBER_MISFITS = {
  code: "conflict",
  say: ({ option, value, remedy }: { option: string; value: string; remedy: string }) =>
    `Give ${option}, too, or another value here: the policy's own ${option}, ${value}, does not fit. ${remedy}`,
} as const;

// Options of a limiter.

export const PREFIX = {
  code: "shape",
  say: "Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.",
} as const;

export const DENIAL_CACHE = {
  code: "shape",
  say: "Give { maxEntries } with a whole number from 1 to 1000000, or false for no cache.",
} as const;

export const SHARED_DENIALS = {
  code: "shape",
  say: "Give what coloDenials() or shareDenials() returns; it needs the denialCache, and a Redis that all count in.",
} as const;

export const SHARED_CACHE = {
  code: "shape",
  say: "Give a function: a shared cache has get(key) and put(key, text, seconds).",
} as const;

export const HEADERS = {
  code: "shape",
  say: 'Give { "draft-11": false } or { "x-ratelimit": false } to leave fields out.',
} as const;

export const HEADER_FIELD = {
  code: "choice",
  say: 'Use "draft-11" and "x-ratelimit", each true or false.',
} as const;

export const NO_RESPONSE = {
  code: "unsupported",
  say: "Give failures() without responses: a limiter sees none. Call release() of the hold after a request that was no failure.",
} as const;

// The store of a limiter.

export const STORE = {
  code: "shape",
  say: "Give `redis`, such as { url, token }, or else a store that memoryStore() or durableObjectStore() made.",
} as const;

export const NAMESPACE = {
  code: "shape",
  say: ({ class: name, binding }: { class: string; binding: string }) =>
    `Give the binding of the class ${name}, such as env.${binding}.`,
} as const;

export const DIALECT = {
  code: "choice",
  say: 'Use "upstash" or "redis", or leave it out.',
} as const;

export const REDIS = {
  code: "shape",
  say: "Give { url, token }, or client(...) for new Redis() of @upstash/redis. For ioredis or node-redis, give fromIoredis(...) or fromNodeRedis(...) of tidegate/node.",
} as const;

export const REDIS_CLIENT = {
  code: "shape",
  say: "A client has the two functions evalsha and eval.",
} as const;

export const DATABASES = {
  code: "shape",
  say: "Give a list of clients, one for each database.",
} as const;

// Options of rate-limiter-flexible.

export const BLOCK_FROM = {
  code: "range",
  say: (points: number) =>
    `Give a whole number that is no less than points, ${points}; 0 for none.`,
} as const;

export const NEEDS_BLOCK_FROM = {
  code: "conflict",
  say: "Give inMemoryBlockOnConsumed, too: it says from how many points on a key is blocked here.",
} as const;

export const STORE_CLIENT = {
  code: "unknown-option",
  say: "Give it as redis: fromIoredis(client) or fromNodeRedis(client), of tidegate/node.",
} as const;

export const INSURANCE_LIMITER = {
  code: "unknown-option",
  say: 'Leave it out: without an answer of Redis this process counts, and goes on from what Redis said last. With onFailure: "error" the limiter rejects with an Error instead; then ask the other one.',
} as const;

export const NOT_READY = {
  code: "unknown-option",
  say: "Leave it out: a call waits for Redis no longer than timeout, and after some failures not at all.",
} as const;

export const REDIS_PACKAGE = {
  code: "unknown-option",
  say: "Leave it out, and give fromNodeRedis(client) of tidegate/node as redis.",
} as const;

export const OWN_SCRIPT = {
  code: "unknown-option",
  say: "Leave it out: points are counted by a script of Tidegate.",
} as const;

export const OF_DATABASES = {
  code: "unknown-option",
  say: "Leave it out: it is for databases. Redis has no tables, and forgets by itself.",
} as const;

export const IOREDIS = {
  code: "unsupported",
  say: "Give fromIoredis(redis), of tidegate/node. Commands must not be sent again after a lost connection, or they are charged twice: build it with { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }, or a Cluster with { retryDelayOnFailover: 0 }.",
} as const;

export const NODE_REDIS = {
  code: "unsupported",
  say: "Give fromNodeRedis(redis), of tidegate/node.",
} as const;

export const IOREDIS_CLIENT = {
  code: "shape",
  say: "Give a Redis or a Cluster of ioredis.",
} as const;

export const NODE_REDIS_CLIENT = {
  code: "shape",
  say: "Give a client, a pool or a cluster of node-redis.",
} as const;

export const NODE_REDIS_SENTINEL = {
  code: "unsupported",
  say: "A sentinel of node-redis sends commands again after a lost connection, so that a request is charged twice. Give fromIoredis(new Redis({ sentinels, name, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 })).",
} as const;

export const SENDS_AGAIN = {
  code: "unsupported",
  say: "The client would send a decision again after a lost connection, so that a request is charged twice. Build it, or a second one by client.duplicate(), with { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }.",
} as const;

export const CLUSTER_SENDS_AGAIN = {
  code: "unsupported",
  say: "The client would send a decision up to 17 times after a lost connection, so that a request is charged as often. Build it with { retryDelayOnFailover: 0 }.",
} as const;

export const CONNECTED_ON_WORKERS = {
  code: "unsupported",
  say: "On Workers a connection belongs to the request that opened it, so that later requests would wait for it in vain. Give redis: { url, token } of a REST API: of Upstash, or of the bridge in front of your Redis.",
} as const;

// Lists.

export const LISTS = {
  code: "shape",
  say: "Give a table of allow and deny, each a list of entries.",
} as const;

export const LIST = {
  code: "shape",
  say: "Give a list of entries, each with a cidr, an identity, an asn or a country.",
} as const;

export const ENTRY = {
  code: "shape",
  say: 'Give exactly one of cidr, identity, asn and country, such as cidr "203.0.113.0/24", and until where it is to end.',
} as const;

export const ENTRY_IDENTITY = {
  code: "shape",
  say: "Give the identity as a text of at least one character.",
} as const;

export const HEADER_IDENTITY = {
  code: "shape",
  say: 'Write one header\'s name and its value, such as "x-user-id:42", without "header:"; for an address, give cidr instead.',
} as const;

export const ASN = {
  code: "range",
  say: (max: number) => `Give a number from 1 to ${max} without "AS", such as 64496.`,
} as const;

export const COUNTRY = {
  code: "shape",
  say: 'Give two capitals of ISO 3166-1, such as "CH", or "T1" for Tor.',
} as const;

export const MOMENT = {
  code: "shape",
  say: 'Give a moment with its time zone, such as "2027-01-01T00:00:00Z", or milliseconds since 1970.',
} as const;

export const CIDR = {
  code: "shape",
  say: 'Give an address or a range of addresses, such as "203.0.113.7", "203.0.113.0/24" or "2001:db8::/32".',
} as const;

export const CIDR_PREFIX = {
  code: "range",
  say: (bits: number) => `Give a prefix length from 0 to ${bits}.`,
} as const;

export const CIDR_OF_IPV4 = {
  code: "shape",
  say: 'These addresses stand for IPv4 ones: write those, such as "203.0.113.0/24".',
} as const;

export const CIDR_BITS = {
  code: "shape",
  say: ({ range, address }: { range: string; address: string }) =>
    `It has bits beyond its prefix: write "${range}", or "${address}" for one address.`,
} as const;

export const ALLOWED_DIGEST = {
  code: "conflict",
  say: "Name the client itself, or give it an override: a digest is compared after the lists.",
} as const;

export const UNKNOWN_FACT = {
  code: "unsupported",
  say: "Leave such entries out: only Cloudflare and Vercel know it, where they are trusted with the client's address, too.",
} as const;

// The identity of a request.

export const CLIENT_IP = {
  code: "choice",
  say: 'Use "cloudflare", "vercel", "socket" (not on Workers) or { "trustedHops": 1 }, up to 32 hops.',
} as const;

export const NO_CLIENT_IP = {
  code: "missing",
  say: 'Say who is trusted with the client\'s address: "cloudflare", "vercel", "socket" (Node without a proxy) or { "trustedHops": 1 } (behind a proxy of your own).',
} as const;

export const SOURCES = {
  code: "shape",
  say: 'Give a list of sources, first choice first: in code [header("x-api-key"), "ip"], in a rule ["header:x-api-key", "ip"]; or "*" to count everybody together.',
} as const;

export const SOURCES_TOGETHER = {
  code: "shape",
  say: 'Give the sources that identify a client together: in code ["ip", header("user-agent")], in a rule ["ip", "header:user-agent"].',
} as const;

export const MANY_SOURCES = {
  code: "too-many",
  say: (max: number) => `Give at most ${max} sources.`,
} as const;

export const SAME_SOURCE = {
  code: "duplicate",
  say: "Leave it out: the inner list has it already.",
} as const;

export const UNREACHABLE_SOURCE = {
  code: "without-effect",
  say: (earlier: string) =>
    `Leave it out, or put it before ${earlier}: whenever it is present, that is, too, and comes first.`,
} as const;

export const SOURCE = {
  code: "shape",
  say: ({ meant, examples }: { meant?: string | undefined; examples: readonly string[] }) => {
    const quoted = examples.map((example) => `"${example}"`);
    const bare = quoted.filter((example) => !example.includes(":"));
    const named = quoted.filter((example) => example.includes(":"));
    return `${didYouMean(meant)}Use ${bare.join(", ")}, or ${named.join(", ")}; in code subnet(), header("x-api-key") and so on.`;
  },
} as const;

export const SOURCE_IN_LIST = {
  code: "shape",
  say: "Name a source: an inner list holds no further lists.",
} as const;

export const EVERYBODY_IN_LIST = {
  code: "shape",
  say: 'Give "*" alone, without a list: it counts everybody together, whatever else a request carries.',
} as const;

export const SOURCE_WITHOUT_NAME = {
  code: "missing",
  say: (example: string) => `Say which one, such as "${example}".`,
} as const;

export const SOURCE_NAME = {
  code: "shape",
  say: ({ characters, example }: { characters: string; example: string }) =>
    `Use only the characters ${characters} in its name, such as "${example}".`,
} as const;

export const UNKNOWN_FACT_SOURCE = {
  code: "unsupported",
  say: 'Leave it out, or trust "cloudflare" or "vercel" with the client\'s address: only these platforms say it.',
} as const;

export const UNKNOWN_SEGMENT = {
  code: "unknown-name",
  say: ({ name, others }: { name: string; others: readonly string[] }) =>
    `Add ":${name}" to the rule's path${others.map((other) => `, or use "path:${other}"`).join("")}: it has no such segment.`,
} as const;

export const NO_PATH = {
  code: "unsupported",
  say: "Give a function that returns the identity: only a rule of the gateway has a path with names.",
} as const;

export const DIMENSION_OF_REQUEST = {
  code: "unsupported",
  say: 'Give the policy a partition instead: a list of sources such as ["ip"], or "*" for everybody. Only limiters in code have `by`.',
} as const;

export const ALL_SKIPPED = {
  code: "conflict",
  say: "Leave it out of one policy that is enforced: nothing would limit a request that lacks all identities.",
} as const;

// The reading of a request.

export const COST = {
  code: "shape",
  say: "Give a whole number of units from 0, or one for each of some policies by their names. In code a function may return either.",
} as const;

export const COST_ABOVE_UNSETTLED = {
  code: "without-effect",
  say: "Give the policy an `unsettled` of at least this cost: a request that costs more waits for Redis.",
} as const;

export const COST_OF_UNKNOWN = {
  code: "unknown-name",
  say: "Use the name of a policy of this list.",
} as const;

export const COST_ABOVE_LIMIT = {
  code: "conflict",
  say: "It is above the limit of a policy, or of one of its shards, so no request could pass: lower it, or raise the limit.",
} as const;

export const PLAN_SOURCE = {
  code: "shape",
  say: 'Name a header that something in front of you sets, "header:x-plan", or a claim of verified tokens, "jwt:plan".',
} as const;

// Verified tokens.

export const NO_JWT = {
  code: "missing",
  say: "Say whose tokens are verified: in code by the option jwt, which takes what jwt() of tidegate/jwt returns, in a gateway by the variable JWT.",
} as const;

export const JWT_KEYS = {
  code: "missing",
  say: "Give jwks, the address of the issuer's keys, or the secret that signs the tokens (of a gateway: JWT_SECRET).",
} as const;

export const JWT_TWO_KEYS = {
  code: "conflict",
  say: "Give either jwks or a secret: whoever knows the issuer's public keys could sign with them as a secret.",
} as const;

export const JWKS_URL = {
  code: "shape",
  say: 'Give an address without credentials, such as "https://issuer.example.com/.well-known/jwks.json".',
} as const;

export const JWT_SECRET = {
  code: "shape",
  say: "Give the secret that signs the tokens: a text of 32 to 1,024 characters.",
} as const;

export const JWT_NAMES = {
  code: "shape",
  say: (max: number) =>
    `Give a text, or a list of 1 to ${max} texts, as the tokens have it: "https://issuer.example.com/".`,
} as const;

export const JWT_ALGORITHMS = {
  code: "choice",
  say: (known: readonly string[]) => `Give a list of some of ${known.join(", ")}.`,
} as const;

export const JWT_HEADER = {
  code: "shape",
  say: 'Give the name of the header field that has the token, such as "cf-access-jwt-assertion".',
} as const;

export const PLAN_WITHOUT_PLANS = {
  code: "missing",
  say: "Give `plans`, too (as a variable PLANS): the plans that exist.",
} as const;

export const WHEN = {
  code: "shape",
  say: 'Give the statuses of failures: { "status": [401, 403] }.',
} as const;

export const STATUSES = {
  code: "shape",
  say: (max: number) => `Give a list of 1 to ${max} statuses, such as [401, 403].`,
} as const;

export const STATUS = {
  code: "range",
  say: "Give the status of a response: a whole number from 100 to 599.",
} as const;

export const WHEN_WITHOUT_FAILURES = {
  code: "without-effect",
  say: 'Leave it out, or set counts to "failures": only that looks at responses.',
} as const;

// On Vercel, whose middleware does not see a route's answer.

export const SOCKET_ON_VERCEL = {
  code: "unsupported",
  say: "Leave it out on Vercel, which provides the address. On a server of your own, put a proxy in front, and give { trustedHops: 1 }.",
} as const;

export const FAILURES_OF_ROUTES = {
  code: "unsupported",
  say: "Answer in onAllowed, or count failures in the route with createLimiter(): a middleware does not see the response of a route.",
} as const;

export const HOLDS_OF_ROUTES = {
  code: "unsupported",
  say: "Answer in onAllowed, or reserve() in the route with createLimiter(): a middleware does not see the response of a route.",
} as const;

// Beside language models.

export const WAIT_UNTIL = {
  code: "shape",
  say: "Give a function: (promise) => ctx.waitUntil(promise).",
} as const;

export const PRICE = { code: "range", say: "Give a number from 0 to 1000000000." } as const;

export const DAY_OF_PRICES = {
  code: "shape",
  say: 'Give a day of prices, such as "2026-11-05".',
} as const;

export const UNKNOWN_MODEL = {
  code: "unknown-name",
  say: (meant: string | undefined) =>
    `${didYouMean(meant)}It has no price: add it with createPrices({ prices }), or do not ask it.`,
} as const;

export const UNKNOWN_TIER = {
  code: "unknown-name",
  say: (model: string) => `Add it to the tiers of ${model} in the table of prices.`,
} as const;

export const UNPRICED_PART = {
  code: "missing",
  say: ({ model, price }: { model: string; price: string }) =>
    `Add ${price} to the prices of ${model}.`,
} as const;

export const PACED_TARGETS = {
  code: "shape",
  say: 'Give a list of targets, each with a name and its limits a minute: [{ name: "openai/gpt-5-mini", limits: { requests: 500, tokens: 200_000 } }].',
} as const;
