/** The descriptions of a rule's fields in editors and in the documentation. */
export const RULE_FIELDS: Readonly<Record<string, string>> = {
  method: 'The methods that the rule covers, in capitals, or "*" for all. GET includes HEAD.',
  path: 'The path that the rule covers: ":name" stands for one segment, a final "*" for the rest, "**" for any number of segments, and a "*" within a segment for any characters.',
  policies: "1 to 16 policies, decided together: either every policy takes the cost, or none does.",
  partition:
    'Who is counted: sources in order; the first one present in a request is used, and an inner list takes all of its sources together. "*" counts everybody together. Default: the client\'s address.',
  onMissing:
    'What happens to a request without an identity: "share" counts all of them together, "reject" answers 400.',
  cost: "Quota units of each request, or a table with those of some policies by their names. Default 1.",
  plan: 'The header that says which plan a client has: "header:x-plan". Something in front of the gateway has to set it.',
  onFailure:
    'The fallback while Redis gives no answer: "open", "closed", "local", or a table { local = { share } }. Default: the variable ON_FAILURE.',
  retryJitter:
    "Lengthens the wait in Retry-After and in t of RateLimit by a random part of up to this share, so that denied clients do not return all at once. Default 0.",
  quota:
    "Whether GET /_tidegate/quota tells clients what they have left under this rule. Default false.",
};

/** The same for the fields of a policy. */
export const POLICY_FIELDS: Readonly<Record<string, string>> = {
  algorithm: "How the policy counts.",
  name: "Names the policy in keys and header fields. Default: made from the numbers.",
  limit: "Units per window; for a token bucket, the size of the bucket.",
  refill: "Units that come back every `per`.",
  per: "The time in which `refill` units come back.",
  window:
    "Length of the window; of a fixed window also a month, week, day or hour of the calendar in `timeZone`.",
  timeZone:
    'Of a window of the calendar: the IANA name of its time zone, such as "Europe/Berlin". Default "UTC".',
  anchor:
    "Of a window of the calendar: the day of the month (1 to 31, where 29 to 31 are the last day of shorter months), the ISO day of the week (1 is Monday), or a moment whose day, weekday, hour and minute, or minute windows begin with. Default: the first day, Monday, midnight, the full hour.",
  aligned:
    "Of a fixed window: false for windows that begin with a client's first request. Default: true, windows on the grid of the clock.",
  segments: "Number of segments in the window. Default 10.",
  advertise: "Whether header fields and problem documents name the policy. Default true.",
  onFailure: "Overrides the rule's onFailure for this policy.",
  retryJitter: "Overrides the rule's retryJitter for this policy.",
  partition: 'Overrides the rule\'s partition for this policy; "*" counts everybody together.',
  onMissing:
    'Overrides the rule\'s onMissing for this policy; "skip" leaves the policy out of the decision about a request that lacks the identity.',
  mode: '"enforce" denies; "shadow" decides and counts, but never denies, unseen by clients; "soft" never denies, and tells the origin in Tidegate-Over. Default "enforce".',
  lease:
    'Reserves quota of this policy in advance where demand is high: an isolate takes several units at once and may spend them for this long. "auto" leases what is worth it. Default: Redis makes every decision.',
  optimistic:
    "Answers before Redis has counted a request, where the isolate knows of no denial: at most unsettled units of a partition (default 1) wait for that in an isolate, while more than above (default 0.5) of the limit is left. Each isolate may admit that many units too many. Default: Redis decides first.",
  notify:
    "Tells of each partition that has used this share of the limit, once per window, and when its requests begin to be denied: by a webhook where NOTICE_URL is set, and in the metrics. A number above 0 to 1, or a list of them. Default: none.",
  counts:
    '"requests"; "denials" by the other policies of the decision, which denies clients that were denied too often; or "failures": a request whose response is none gets its units back. Default "requests".',
  when: 'Which responses are failures, where counts is "failures": 1 to 32 statuses. Default { status = [401, 403] }.',
  shards:
    "Splits the limit of a hot partition over 2 to 64 keys, together never more than the limit. A request may cost at most limit / shards.",
};

/** The same for the two lists. */
export const LIST_FIELDS: Readonly<Record<string, string>> = {
  allow: "Clients that are not limited, even if deny names them too.",
  deny: "Clients that get a 403.",
};

/** The same for the fields of an entry of a list. */
export const ENTRY_FIELDS: Readonly<Record<string, string>> = {
  cidr: "An IPv4 or IPv6 address, or a range of them without bits beyond its prefix.",
  identity: 'A header\'s name and value, such as "x-user-id:42".',
  asn: "The number of an autonomous system, where Cloudflare or Vercel says it.",
  country: 'Two capitals of ISO 3166-1, or "T1" for Tor, where Cloudflare or Vercel says it.',
  digest:
    "Only in deny: a client as GET /top names it, under the rules that count it by this name. Compared after both lists.",
  until:
    "When the entry ends: a moment with its time zone, or milliseconds since 1970. Default: never.",
};

/** The same for the fields of an override. */
export const OVERRIDE_FIELDS: Readonly<Record<string, string>> = {
  identity:
    'A header\'s name and value, such as "x-user-id:42"; a "*" at its end stands for any characters.',
  digest: "A client as GET /top names it, in place of an identity.",
  plan: "The plan that this client has, whatever its requests say.",
  policies: "The numbers that this client has instead of the policies' own, by their names.",
  until: ENTRY_FIELDS["until"]!,
};

/** The same for the fields of a live document. */
export const DOCUMENT_FIELDS: Readonly<Record<string, string>> = {
  $schema: "The schema of this file, for editors.",
  version: "The version that this file is based on; it is not published.",
  rules: "The rules, as in the variable RULES.",
  plans: "Other numbers for some clients, as in the variable PLANS.",
  overrides: "Other numbers for single clients.",
  lists: "Clients that are not limited or refused, as in the variable LISTS.",
};

/** The meaning of each variable of the gateway. */
export const VARIABLE_MEANINGS: Readonly<Record<string, string>> = {
  ORIGIN: 'The origin\'s address, or `"zone"` for the origin of the Cloudflare zone.',
  ORIGIN_TIMEOUT:
    'How long the origin may take to begin its answer, `10ms` to `1h`; then the client gets a 504. The time in which the client sends its body counts. `"off"` waits for as long as it takes.',
  ON_ERROR:
    '`"pass"` lets requests pass unlimited where the gateway fails: [the risk](gateway.md#when-the-gateway-fails). `"refuse"` answers 500, and faults in the variables stop the gateway.',
  STORE:
    '`"durable-object"` counts in [Durable Objects](durable-objects.md) on Workers. `"memory"` counts in each isolate alone, to try the gateway without a Redis.',
  PREFIX: "Begins every key in Redis.",
  REDIS_DIALECT:
    "Which scripts Redis gets; needed for [Upstash behind another name](redis.md#which-scripts). Default: its address tells.",
  TIMEOUT:
    "How long a decision waits for Redis, `1ms` to `1m`; then `ON_FAILURE` decides. Until an isolate has its first answer, four times as long, at most a second. Default `250ms`.",
  ON_FAILURE:
    'The fallback while Redis gives no answer: `"local"` counts in the isolate\'s memory, `"open"` admits, `"closed"` answers 503; `{ local = { share = 0.1 } }` counts in memory with a tenth of each limit. A rule or policy may override it.',
  CLIENT_IP:
    'The source of the client\'s address: the platform, `"socket"` on Node without a proxy, or `{ trustedHops = 1 }` behind proxies of your own. Needed where a rule uses `"ip"` or `"subnet"`, or a list has a `cidr`, `asn` or `country`.',
  SHARED_DENIALS:
    'Shares denials between the isolates of a data centre. Default: `"colo"` on Cloudflare Workers with Redis, otherwise `"none"`.',
  LIVE_REFRESH:
    'How often an isolate asks the control store for [live rules](admin.md): `1s` to `10m`, or `"off"`. Default: `10s` where a token of the admin API is set or `LIVE_RULES` is `"required"`, otherwise `"off"`.',
  LIVE_RULES:
    '`"required"`: without published rules in force the gateway enforces the deployed ones, and its health is `degraded` with 503 ([why](live-rules.md#what-an-operator-relies-on)). `"optional"`: deployed rules are enough.',
  CONTROL:
    'Where live rules, blocks, drafts, history and audit are: `"redis"`, or `"durable-object"` with the binding `LIMITS`. Default: where the counts are, or the Redis of the next variable.',
  CONTROL_REDIS_REST_URL:
    "The address of another Redis for live rules, blocks, drafts, history and audit. Default: the Redis that counts.",
  CONTROL_REDIS_REST_TOKEN: "Its token. Bind it as a secret.",
  REGION_REDIS_REST_URL:
    "The address of a Redis near this deployment, which decides hot identities: [regions](regions.md). Default: none.",
  REGION_REDIS_REST_TOKEN:
    "Its token. Bind it as a secret. A store of `REGION_STORES` may have one of its own: that of `fra` is `REGION_REDIS_REST_TOKEN_FRA`.",
  REGION_STORES:
    "The stores of several regions by their names, `{ url, at }` or `{ locationHint, at }`, [of which the nearest decides](regions.md#several-regions-in-one-deployment). Default: none.",
  REGION_NAME:
    'Names the region in the log; or the one of `REGION_STORES` that this deployment uses. Default: `"nearby"`; the nearest.',
  REGION_TERM:
    "For how long the region may spend a unit after the home Redis took it, `100ms` to `10s`. Default: a second, or less where a policy permits less.",
  REGION_CREDIT:
    "Units of a policy that the region admits before home has counted them, 1 to 1,000; needs `REGIONS` or `REGION_STORES`. Default: none.",
  REGIONS:
    "How many regional stores there are at most, those of previews too, 1 to 1,000, and at least those of `REGION_STORES`. While home gives no answer, each of them counts alone with this part of a limit. Default: the number of `REGION_STORES`; without these, none, and each isolate counts alone.",
  METRICS:
    'Counts requests for [metrics](metrics.md), `"on"` or `"off"`. Default: `"on"` with Redis or Durable Objects where a token of the admin API is set, otherwise `"off"`.',
  METRICS_FLUSH: "How often an isolate writes what it has counted: `10s` to `10m`. Default: `1m`.",
  METRICS_IDENTITIES:
    'How metrics and the log of denials name partitions: `"hashed"`, or `"plain"` with addresses as they are.',
  DENIAL_LOG:
    '`"on"` logs [who is denied](metrics.md#the-log-of-denials): one line for each partition and minute, with a count.',
  ADMIN_TOKEN:
    "The token that reads and writes live rules over the admin API, as a secret: 20 to 256 printable characters. Default: none.",
  ADMIN_TOKENS:
    'Tokens of people and jobs that read and write, each by its name in the audit and the SHA-256 of the token: `{ ada = "sha256:…" }` ([how](live-rules.md#who-changed-it)). Default: none.',
  READ_TOKEN: "The token that only reads over the admin API, as a secret. Default: none.",
  ADMIN_HOST:
    'The only host at which the admin API, the dashboard and the health check answer, such as `admin.example.com`; it serves nothing else ([why](security.md#the-token-in-the-browser)). `"any"` serves them on every host, without the warning. Default: every host.',
  NOTICE_URL:
    "Where [notices](notices.md) of policies with `notify` are sent, as a secret if its path is one. Default: nowhere.",
  NOTICE_SECRET:
    "The key that signs them, as a secret: `whsec_` and 24 to 64 random bytes in base64. Needed with `NOTICE_URL`.",
  AMBIGUOUS_PATHS:
    'The treatment of a path that some origin may read as one under other rules: `"refuse"` answers 400, `"pass"` applies the rules of every reading.',
  CORS: "The sites whose scripts may read answers, with the options of `hono/cors` that are data: [what it does](gateway.md#scripts-of-other-sites). Default: none, and preflights are requests like any other.",
  JWT: 'Whose tokens are verified, for sources such as `jwt:sub` and `plan = "jwt:plan"`: a table of `jwks`, `issuer`, `audience` and [others](identities.md#verified-identities), as TOML or as JSON. Default: no token is read.',
  JWT_SECRET:
    "The secret that signs the tokens with HMAC, in place of `jwks` in `JWT`, as a secret: 32 to 1,024 characters. Default: none.",
  RULES:
    "The rules, as TOML tables or as JSON. [rules.schema.json](rules.schema.json) describes them.",
  PLANS:
    "Other numbers for some clients: a table of plans by name, each a table of policies by name, each a table of numbers: `{ gold = { rides = { limit = 200 } } }`. A rule's `plan` says where a request has its plan.",
  LISTS:
    "Clients that are not limited (`allow`) or refused (`deny`), as a TOML table or as JSON. [lists.schema.json](lists.schema.json) describes it.",
  UPSTASH_REDIS_REST_URL: "The address of the Redis REST API.",
  UPSTASH_REDIS_REST_TOKEN: "Its token. Bind it as a secret.",
  KV_REST_API_URL: "The address as Vercel names it; used if the variable above is missing.",
  KV_REST_API_TOKEN: "The token as Vercel names it.",
};
