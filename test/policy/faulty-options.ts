import {
  memoryStore,
  segmentedWindow,
  shareDenials,
  slidingWindowLog,
} from "../support/limiter/plain.ts";
import { each, type Faulty, policy, withBucket, withOptions, withPolicy } from "./faulty.ts";

const url = "https://example.com";
const redis = { url, token: "t" };
const onRedis = (changes: object) => withOptions({ redis, store: undefined, ...changes });
const withAddress = (changes: object) => onRedis({ redis: { ...redis, ...changes } });
const sharedDenials = shareDenials({ get: async () => undefined, put: () => {} });

const URL_REMEDY =
  /https:\/\/.* without user, password, query, spaces or quotes; not a redis:\/\/ one/;
const TOKEN_REMEDY =
  /the token of the Redis REST API, without "Bearer", quotes, spaces or line breaks/;
const LEASE = /"10ms" to "10s"/;
const SAME_LEASE = /the lease of policies\[0\], or both none/;

/** Options that no limiter can have, or not these together. */
export const FAULTY_OPTIONS: Faulty[] = [
  // Names that are none.
  [
    'policies[0].onfailure: "open"',
    withPolicy({ onfailure: "open" }),
    /^Did you mean `onFailure`\? The options are limit, name, advertise, onFailure, retryJitter, by, counts, lease, optimistic, notify, shards, refundable, window, aligned, and nothing else/,
  ],
  [
    'onfailure: "open"',
    withOptions({ onfailure: "open" }),
    /^Did you mean `onFailure`\? The options are policies, plans, prefix, /,
  ],
  ['prefxi: "app"', withOptions({ prefxi: "app" }), /^Did you mean `prefix`\?/],
  ['policies[0].nama: "app"', withPolicy({ nama: "app" }), /^Did you mean `name`\?/],
  ["policies[0].mate: 5", withPolicy({ mate: 5 }), /^The options are /],
  ["policies[0].refill: 1", withPolicy({ refill: 1 }), /^The options are .*, and nothing else/],
  [
    "retries: 3",
    withOptions({ retries: 3 }),
    /^The options are policies, plans, prefix, .*, and nothing else/,
  ],
  ['password: "(a string)"', withOptions({ password: "hunter2" }), /^The options are /],
  ['reddis: "(an object)"', withOptions({ reddis: redis }), /^Did you mean `redis`\?/],
  ['"": 1', withOptions({ "": 1 }), /^The options are /],
  [
    "denialCache.maxEntires: 10",
    withOptions({ denialCache: { maxEntires: 10 } }),
    /^Did you mean `maxEntries`\?/,
  ],
  [
    "denialCache.ttl: 5",
    withOptions({ denialCache: { maxEntries: 10, ttl: 5 } }),
    /^The options are maxEntries, and nothing else/,
  ],
  ['redis.tokn: "(a string)"', withAddress({ tokn: "hunter2" }), /^Did you mean `token`\?/],
  [
    'redis.uri: "(a string)"',
    withAddress({ uri: "https://ada:hunter2@h" }),
    /^Did you mean `url`\?/,
  ],

  ["policies: []", { policies: [] }, /1 to 16 policies/],
  ["policies: missing", {}, /1 to 16 policies/],
  ["policies: [", { policies: Array(17).fill(policy) }, /1 to 16 policies/],
  ...each("prefix", /^Use 1 to 64 .*letters, digits, dots/, ["a{", ""], (prefix) =>
    withOptions({ prefix }),
  ),
  ...each(
    "denialCache",
    /from 1 to 1000000, or false for no cache/,
    [{ maxEntries: 0 }, true],
    (denialCache) => withOptions({ denialCache }),
  ),
  ...each("timeout", /"1ms" to "1m"/, ["soon", "2m"], (timeout) => withOptions({ timeout })),
  ['onStoreError: "log"', withOptions({ onStoreError: "log" }), /a function/],
  ["headers.standard: true", withOptions({ headers: { standard: true } }), /"draft-11"/],
  ['headers.draft-11: "no"', withOptions({ headers: { "draft-11": "no" } }), /true or false/],
  ["headers: null", withOptions({ headers: null }), /"draft-11": false/],

  // What knows of denials beside the store.
  ...[{ get() {}, put() {} }, shareDenials].map((given): Faulty => [
    'sharedDenials: "(an object)"',
    onRedis({ sharedDenials: given }),
    /^Give what coloDenials\(\) or shareDenials\(\) returns/,
  ]),
  ['sharedDenials: "(an object)"', withOptions({ sharedDenials }), /a Redis that all count in/],
  [
    'sharedDenials: "(an object)"',
    onRedis({ denialCache: false, sharedDenials }),
    /it needs the denialCache/,
  ],

  // The store.
  ['store: "(an object)"', withOptions({ store: {} }), /memoryStore\(\)/],
  [
    'store: "(an object)"',
    withOptions({ store: memoryStore(), redis }),
    /either memoryStore\(\) as `store`, or `redis`, not both/,
  ],
  ['redis: "(a string)"', onRedis({ redis: "redis" }), /\{ url, token \}, or a client/],
  ["redis.url: missing", withAddress({ url: undefined }), URL_REMEDY],
  ["redis.token: missing", withAddress({ token: undefined }), TOKEN_REMEDY],
  ['redis.token: ""', withAddress({ token: "" }), TOKEN_REMEDY],
  ...[
    ["redis://h:6379", "redis://h:6379"],
    [`${url}\n`, `${url}\\n`],
    ["https://user:pa/ss@w:rd@h/", "https://(hidden)"],
    ['"https://user:pass@h"', "(hidden)"],
    [" https://user:pass@h", "(hidden)"],
    ["https://user@h", "https://(hidden)"],
    ["https://h/?_token=secret", "https://(hidden)"],
    ["https://h#secret", "https://(hidden)"],
    ["'https://h'", "'https://h'"],
    ["https://h /", "https://h /"],
    ["h.example:8079", "h.example:8079"],
    // A token, and a user with a password of digits, in its place.
    ["AXyzASQgNjAwZjA2", "(hidden)"],
    ["default:123456", "(hidden)"],
  ].map(([given, shown]): Faulty => [
    `redis.url: "${shown}"`,
    withAddress({ url: given }),
    URL_REMEDY,
  ]),
  ...['"secret"', "'secret'", "Bearer secret", "secret secret", "secret\n"].map((token): Faulty => [
    'redis.token: "(hidden)"',
    withAddress({ token }),
    TOKEN_REMEDY,
  ]),

  // Leases.
  ...each("lease", LEASE, [100, "9ms", "11s"], (lease) => withOptions({ lease })),
  ["policies[0].lease: 100", withPolicy({ lease: 100 }), LEASE],
  [
    'lease: "101ms"',
    { policies: [policy, slidingWindowLog({ limit: 10, window: "1s" })], lease: "101ms" },
    /give "100ms" or less/,
  ],
  ['lease: "51ms"', { ...withBucket({ refill: 100 }), lease: "51ms" }, /give "50ms" or less/],
  [
    'lease: "10ms"',
    { policies: [segmentedWindow({ limit: 10, window: "50ms" })], lease: "10ms" },
    /leave it out/,
  ],
  [
    'policies[0].lease: "51ms"',
    { ...withBucket({ refill: 100, lease: "51ms" }), lease: "40ms" },
    /give "50ms" or less/,
  ],
  [
    'policies[0].lease: "50ms"',
    {
      ...withBucket({ name: "api", refill: 100, lease: "50ms" }),
      plans: { free: { api: { limit: 5 } } },
    },
    /give "20ms" or less/,
  ],
  [
    'policies[2].lease: "200ms"',
    {
      policies: [
        { ...policy, name: "a", by: "ip", lease: "100ms" },
        { ...policy, name: "b", by: "*", lease: "300ms" },
        { ...policy, name: "c", by: "ip", lease: "200ms" },
      ],
    },
    SAME_LEASE,
  ],
  [
    "policies[1].lease: missing",
    {
      policies: [
        { ...policy, lease: "100ms" },
        { ...policy, name: "b" },
      ],
    },
    SAME_LEASE,
  ],
  [
    'policies[1].counts: "denials"',
    { policies: [policy, { ...policy, name: "ban", counts: "denials" }], lease: "100ms" },
    /^Leave out the lease/,
  ],
  // A faulty policy says nothing of its lease.
  ["policies[0].limit: 0", { ...withBucket({ limit: 0 }), lease: "10s" }, /whole number from 1/],
];
