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

/** Options that no limiter can have, or not these together. */
export const FAULTY_OPTIONS: Faulty[] = [
  // Names that are none.
  [
    'policies[0].onfailure: "open"',
    withPolicy({ onfailure: "open" }),
    "unknown-option",
    "`onFailure`",
  ],
  ['onfailure: "open"', withOptions({ onfailure: "open" }), "unknown-option", "`onFailure`"],
  ['prefxi: "app"', withOptions({ prefxi: "app" }), "unknown-option", "`prefix`"],
  ['policies[0].nama: "app"', withPolicy({ nama: "app" }), "unknown-option", "`name`"],
  ["policies[0].mate: 5", withPolicy({ mate: 5 }), "unknown-option"],
  ["policies[0].refill: 1", withPolicy({ refill: 1 }), "unknown-option"],
  ["retries: 3", withOptions({ retries: 3 }), "unknown-option"],
  ['password: "(a string)"', withOptions({ password: "hunter2" }), "unknown-option"],
  ['reddis: "(an object)"', withOptions({ reddis: redis }), "unknown-option", "`redis`"],
  ['"": 1', withOptions({ "": 1 }), "unknown-option"],
  [
    "denialCache.maxEntires: 10",
    withOptions({ denialCache: { maxEntires: 10 } }),
    "unknown-option",
    "`maxEntries`",
  ],
  [
    "denialCache.ttl: 5",
    withOptions({ denialCache: { maxEntries: 10, ttl: 5 } }),
    "unknown-option",
  ],
  ['redis.tokn: "(a string)"', withAddress({ tokn: "hunter2" }), "unknown-option", "`token`"],
  [
    'redis.uri: "(a string)"',
    withAddress({ uri: "https://ada:hunter2@h" }),
    "unknown-option",
    "`url`",
  ],

  ["policies: []", { policies: [] }, "shape"],
  ["policies: missing", {}, "shape"],
  ["policies: [", { policies: Array(17).fill(policy) }, "shape"],
  ...each("prefix", "shape", ["a{", ""], (prefix) => withOptions({ prefix })),
  ...each("denialCache", "shape", [{ maxEntries: 0 }, true], (denialCache) =>
    withOptions({ denialCache }),
  ),
  ...each("timeout", "range", ["soon", "2m"], (timeout) => withOptions({ timeout })),
  ['onStoreError: "log"', withOptions({ onStoreError: "log" }), "shape"],
  ["headers.standard: true", withOptions({ headers: { standard: true } }), "choice"],
  ['headers.draft-11: "no"', withOptions({ headers: { "draft-11": "no" } }), "choice"],
  ["headers: null", withOptions({ headers: null }), "shape"],

  // What knows of denials beside the store.
  ...[{ get() {}, put() {} }, shareDenials].map((given): Faulty => [
    'sharedDenials: "(an object)"',
    onRedis({ sharedDenials: given }),
    "shape",
  ]),
  ['sharedDenials: "(an object)"', withOptions({ sharedDenials }), "shape"],
  ['sharedDenials: "(an object)"', onRedis({ denialCache: false, sharedDenials }), "shape"],

  // The store.
  ['store: "(an object)"', withOptions({ store: {} }), "shape"],
  ['store: "(an object)"', withOptions({ store: memoryStore(), redis }), "shape"],
  ['redis: "(a string)"', onRedis({ redis: "redis" }), "shape"],
  ["redis.url: missing", withAddress({ url: undefined }), "shape"],
  ["redis.token: missing", withAddress({ token: undefined }), "shape"],
  ['redis.token: ""', withAddress({ token: "" }), "shape"],
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
    "shape",
  ]),
  ...['"secret"', "'secret'", "Bearer secret", "secret secret", "secret\n"].map((token): Faulty => [
    'redis.token: "(hidden)"',
    withAddress({ token }),
    "shape",
  ]),

  // Leases.
  ...each("lease", "range", [100, "9ms", "11s"], (lease) => withOptions({ lease })),
  ["policies[0].lease: 100", withPolicy({ lease: 100 }), "range"],
  [
    'lease: "101ms"',
    { policies: [policy, slidingWindowLog({ limit: 10, window: "1s" })], lease: "101ms" },
    "conflict",
    '"100ms"',
  ],
  ['lease: "51ms"', { ...withBucket({ refill: 100 }), lease: "51ms" }, "conflict", '"50ms"'],
  [
    'lease: "10ms"',
    { policies: [segmentedWindow({ limit: 10, window: "50ms" })], lease: "10ms" },
    "conflict",
    "leave it out",
  ],
  [
    'policies[0].lease: "51ms"',
    { ...withBucket({ refill: 100, lease: "51ms" }), lease: "40ms" },
    "conflict",
    '"50ms"',
  ],
  [
    'policies[0].lease: "50ms"',
    {
      ...withBucket({ name: "api", refill: 100, lease: "50ms" }),
      plans: { free: { api: { limit: 5 } } },
    },
    "conflict",
    '"20ms"',
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
    "conflict",
    "policies[0]",
  ],
  [
    "policies[1].lease: missing",
    {
      policies: [
        { ...policy, lease: "100ms" },
        { ...policy, name: "b" },
      ],
    },
    "conflict",
    "policies[0]",
  ],
  [
    'policies[1].counts: "denials"',
    { policies: [policy, { ...policy, name: "ban", counts: "denials" }], lease: "100ms" },
    "conflict",
  ],
  // A faulty policy says nothing of its lease.
  ["policies[0].limit: 0", { ...withBucket({ limit: 0 }), lease: "10s" }, "range"],
];
