import { describe, expect, test, vi } from "vitest";

import {
  ConfigurationError,
  createLimiter,
  type Fault,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";

function faultsOf(options: unknown): readonly Fault[] {
  try {
    createLimiter({ store: memoryStore(), ...(options as LimiterOptions) });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  throw new Error("no fault was found");
}

const policy = fixedWindow({ limit: 10, window: "1s" });
const withPolicy = (changes: object) => ({ policies: [{ ...policy, ...changes }] });
const bucket = (changes: object) => ({
  policies: [{ ...tokenBucket({ limit: 10, refill: 1, per: "1s" }), ...changes }],
});
const url = "https://example.com";
const noStore = { store: undefined, policies: [policy] };

/** What is wrong, the options, and the path, value and remedy that the error names. */
const table: [string, object, path: string, value: string, remedy: RegExp][] = [
  [
    "no limit",
    withPolicy({ limit: undefined }),
    "policies[0].limit",
    "missing",
    /whole number from 1/,
  ],
  ["a limit of zero", withPolicy({ limit: 0 }), "policies[0].limit", "0", /whole number from 1/],
  ["a negative limit", withPolicy({ limit: -1 }), "policies[0].limit", "-1", /whole number from 1/],
  [
    "a limit of NaN",
    withPolicy({ limit: Number.NaN }),
    "policies[0].limit",
    "NaN",
    /whole number from 1/,
  ],
  [
    "an infinite limit",
    withPolicy({ limit: Infinity }),
    "policies[0].limit",
    "Infinity",
    /to 1000000000/,
  ],
  ["a fraction of a limit", withPolicy({ limit: 1.5 }), "policies[0].limit", "1.5", /whole number/],
  ["a limit as text", withPolicy({ limit: "10" }), "policies[0].limit", '"10"', /whole number/],
  [
    "a limit beyond counting",
    withPolicy({ limit: 1e9 + 1 }),
    "policies[0].limit",
    "1000000001",
    /to 1000000000/,
  ],
  [
    "a log that holds too much",
    { policies: [slidingWindowLog({ limit: 100_001, window: "1s" })] },
    "policies[0].limit",
    "100001",
    /to 100000, or a segmented-window for more/,
  ],
  [
    "no window",
    withPolicy({ window: undefined }),
    "policies[0].window",
    "missing",
    /"250ms", "10s", "1h"/,
  ],
  [
    "a window without unit",
    withPolicy({ window: "10" }),
    "policies[0].window",
    '"10"',
    /ms, s, m, h or d/,
  ],
  [
    "a window as a number",
    withPolicy({ window: 10_000 }),
    "policies[0].window",
    "10000",
    /ms, s, m, h or d/,
  ],
  [
    "a window in an unknown unit",
    withPolicy({ window: "1w" }),
    "policies[0].window",
    '"1w"',
    /ms, s, m, h or d/,
  ],
  [
    "a negative window",
    withPolicy({ window: "-1s" }),
    "policies[0].window",
    '"-1s"',
    /with its unit/,
  ],
  [
    "an empty window",
    withPolicy({ window: "0s" }),
    "policies[0].window",
    '"0s"',
    /from "1ms" to "366d"/,
  ],
  [
    "a window below a millisecond",
    withPolicy({ window: "0.5ms" }),
    "policies[0].window",
    '"0.5ms"',
    /from "1ms"/,
  ],
  [
    "a window over the bound",
    withPolicy({ window: "367d" }),
    "policies[0].window",
    '"367d"',
    /to "366d"/,
  ],
  [
    "a window with a blank",
    withPolicy({ window: "1 s" }),
    "policies[0].window",
    '"1 s"',
    /with its unit/,
  ],
  [
    "no refill",
    bucket({ refill: undefined }),
    "policies[0].refill",
    "missing",
    /whole number from 1/,
  ],
  ["a refill of zero", bucket({ refill: 0 }), "policies[0].refill", "0", /whole number from 1/],
  ["a fraction of a refill", bucket({ refill: 0.5 }), "policies[0].refill", "0.5", /whole number/],
  ["a bad refill time", bucket({ per: "second" }), "policies[0].per", '"second"', /with its unit/],
  [
    "a bucket that takes years to refill",
    bucket({ limit: 1000, refill: 1, per: "1d" }),
    "policies[0].limit",
    "1000",
    /more than 366 days to refill: lower the limit or raise the refill/,
  ],
  [
    "no segments",
    { policies: [segmentedWindow({ limit: 1, window: "1s", segments: 0 })] },
    "policies[0].segments",
    "0",
    /from 1 to 60/,
  ],
  [
    "too many segments",
    { policies: [segmentedWindow({ limit: 1, window: "1s", segments: 61 })] },
    "policies[0].segments",
    "61",
    /from 1 to 60/,
  ],
  [
    "an unknown algorithm",
    withPolicy({ algorithm: "leaky" }),
    "policies[0].algorithm",
    '"leaky"',
    /token-bucket, /,
  ],
  [
    "a name that is not ASCII",
    withPolicy({ name: "café" }),
    "policies[0].name",
    '"café"',
    /ASCII letters/,
  ],
  [
    "a name with a brace",
    withPolicy({ name: "a}b" }),
    "policies[0].name",
    '"a}b"',
    /letters, digits, dots/,
  ],
  [
    "a name with a quote",
    withPolicy({ name: 'a"b' }),
    "policies[0].name",
    '"a\\"b"',
    /letters, digits, dots/,
  ],
  ["an empty name", withPolicy({ name: "" }), "policies[0].name", '""', /1 to 64/],
  [
    "a long name",
    withPolicy({ name: "n".repeat(65) }),
    "policies[0].name",
    `"${"n".repeat(56)}...`,
    /1 to 64/,
  ],
  ["a name that is no text", withPolicy({ name: 7 }), "policies[0].name", "7", /1 to 64/],
  [
    "the same name twice",
    { policies: [policy, policy] },
    "policies[1].name",
    '"fixed-window-10-1s"',
    /policies\[0\] has this name, too/,
  ],
  [
    "an unknown verdict",
    withPolicy({ onFailure: "maybe" }),
    "policies[0].onFailure",
    '"maybe"',
    /"open", "closed" or "local"/,
  ],
  ["no policies", { policies: [] }, "policies", "[]", /1 to 16 policies/],
  ["policies missing", {}, "policies", "missing", /1 to 16 policies/],
  ["seventeen policies", { policies: Array(17).fill(policy) }, "policies", "[", /1 to 16 policies/],
  ["a policy that is none", { policies: [null] }, "policies[0]", "null", /made by tokenBucket\(\)/],
  [
    "a bad verdict for all",
    { policies: [policy], onFailure: "no" },
    "onFailure",
    '"no"',
    /"open", "closed" or "local"/,
  ],
  [
    "a prefix with a brace",
    { policies: [policy], prefix: "a{" },
    "prefix",
    '"a{"',
    /letters, digits, dots/,
  ],
  ["an empty prefix", { policies: [policy], prefix: "" }, "prefix", '""', /1 to 64/],
  [
    "a cache of no size",
    { policies: [policy], denialCache: { maxEntries: 0 } },
    "denialCache",
    '{"maxEntries":0}',
    /from 1 to 1000000/,
  ],
  [
    "a cache that is only true",
    { policies: [policy], denialCache: true },
    "denialCache",
    "true",
    /or false for no cache/,
  ],
  [
    "an unknown header field",
    { policies: [policy], headers: { standard: true } },
    "headers.standard",
    "true",
    /"draft-11"/,
  ],
  [
    "a header switch that is text",
    { policies: [policy], headers: { "draft-11": "no" } },
    "headers.draft-11",
    '"no"',
    /true or false/,
  ],
  [
    "headers that are none",
    { policies: [policy], headers: null },
    "headers",
    "null",
    /"draft-11": false/,
  ],
  ["a bad timeout", { policies: [policy], timeout: "soon" }, "timeout", '"soon"', /"1ms" to "1m"/],
  ["an endless timeout", { policies: [policy], timeout: "2m" }, "timeout", '"2m"', /"1ms" to "1m"/],
  [
    "an error handler that is none",
    { policies: [policy], onStoreError: "log" },
    "onStoreError",
    '"log"',
    /a function/,
  ],
  ["a store that is none", { store: {}, policies: [policy] }, "store", "{}", /memoryStore\(\)/],
  [
    "two stores",
    { policies: [policy], redis: { url, token: "t" } },
    "store",
    "{}",
    /either memoryStore\(\) as `store`, or `redis`, not both/,
  ],
  [
    "a Redis that is none",
    { ...noStore, redis: "redis" },
    "redis",
    '"redis"',
    /\{ url, token \}, or a client/,
  ],
  ["a missing URL", { ...noStore, redis: { token: "t" } }, "redis.url", "missing", /https:\/\//],
  [
    "a redis:// URL",
    { ...noStore, redis: { url: "redis://h:6379", token: "t" } },
    "redis.url",
    '"redis://h:6379"',
    /not a redis:\/\/ one/,
  ],
  [
    "a URL with a line break",
    { ...noStore, redis: { url: `${url}\n`, token: "t" } },
    "redis.url",
    `"${url}\\n"`,
    /https:\/\//,
  ],
  [
    "a missing token",
    { ...noStore, redis: { url } },
    "redis.token",
    "missing",
    /the token of the Redis REST API/,
  ],
  [
    "an empty token",
    { ...noStore, redis: { url, token: "" } },
    "redis.token",
    '""',
    /the token of/,
  ],
  [
    "a token with a line break",
    { ...noStore, redis: { url, token: "secret\n" } },
    "redis.token",
    '"(hidden)"',
    /without spaces or line breaks/,
  ],
];

test("the table of faults is as long as it should be", () => {
  expect(table.length).toBeGreaterThanOrEqual(40);
});

test.for(table)("%s", ([, options, path, value, remedy]) => {
  const faults = faultsOf(options);
  expect(faults).toHaveLength(1);
  expect(faults[0]!.path).toBe(path);
  expect(faults[0]!.value.startsWith(value)).toBe(true);
  expect(faults[0]!.remedy).toMatch(remedy);
});

test("all faults come at once, one line each, with path, value and remedy", () => {
  const make = () =>
    createLimiter({
      redis: { url: "", token: "" },
      prefix: "}",
      policies: [
        { ...policy, limit: 0, window: "x" } as never,
        bucket({ refill: 0 }).policies[0] as never,
      ],
    });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(
    [
      "Tidegate's configuration has 6 faults:",
      "  policies[0].limit: 0: Give a whole number from 1 to 1000000000.",
      '  policies[0].window: "x": Give a number with its unit, ms, s, m, h or d: "250ms", "10s", "1h".',
      "  policies[1].refill: 0: Give a whole number from 1 to 1000000000.",
      '  prefix: "}": Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.',
      '  redis.url: "": Give the HTTP address of the Redis REST API, "https://...", not a redis:// one.',
      '  redis.token: "": Give the token of the Redis REST API, without spaces or line breaks.',
    ].join("\n"),
  );
});

test("a token never stands in an error, even a bad one", () => {
  try {
    createLimiter({ redis: { url: "x", token: "very secret" }, policies: [policy] });
  } catch (error) {
    expect(String(error)).not.toContain("secret");
  }
  expect.assertions(1);
});

describe("without a Redis given", () => {
  test("the environment's variables are named when they are missing", () => {
    vi.stubEnv("UPSTASH_REDIS_REST_URL", undefined);
    vi.stubEnv("KV_REST_API_URL", undefined);
    expect(faultsOf(noStore).map(({ path, value }) => [path, value])).toEqual([
      ["UPSTASH_REDIS_REST_URL", "missing"],
      ["UPSTASH_REDIS_REST_TOKEN", "missing"],
    ]);
    vi.stubEnv("KV_REST_API_URL", "https://kv.example.com");
    expect(faultsOf(noStore).map(({ path }) => path)).toEqual(["KV_REST_API_TOKEN"]);
    vi.unstubAllEnvs();
  });
});

describe("a client that the caller built", () => {
  test.for([
    [
      "retries",
      { client: { retry: { attempts: 5 } } },
      /retries: a request whose reply is lost is charged again/,
    ],
    [
      "batches",
      { client: { retry: { attempts: 0 } }, enableAutoPipelining: true },
      /requests may not share a batch/,
    ],
  ] as const)("is warned of if it %s", ([, extra, warning]) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const redis = { evalsha: async () => [], eval: async () => [], ...extra };
    createLimiter({ redis, policies: [policy] });
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(warning));
    warn.mockRestore();
  });

  test("is taken as it is otherwise", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    createLimiter({ redis: { evalsha: async () => [], eval: async () => [] }, policies: [policy] });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

test("what is right is taken", () => {
  for (const policies of [
    [tokenBucket({ limit: 1e9, refill: 1e9, per: "1s" })],
    [tokenBucket({ limit: 1_000_000, refill: 999_983, per: "1d" })],
    [slidingWindowCounter({ limit: 1e9, window: "366d" })],
    [segmentedWindow({ limit: 1e9, window: "1ms", segments: 60 })],
    [slidingWindowLog({ limit: 100_000, window: "0.25h" })],
  ]) {
    expect(() =>
      createLimiter({ store: memoryStore(), policies, denialCache: false }),
    ).not.toThrow();
  }
});
