import { Redis } from "@upstash/redis";
import { describe, expect, test, vi } from "vitest";

import {
  ConfigurationError,
  createLimiter,
  type Fault,
  type LimiterOptions,
  memoryStore,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";
import { bucket, FAULTY, noStore, policy } from "./faulty-options.ts";

function faultsOf(options: unknown): readonly Fault[] {
  try {
    createLimiter({ store: memoryStore(), ...(options as LimiterOptions) });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  throw new Error("no fault was found");
}

test("the table of faults is as long as it should be", () => {
  expect(FAULTY.length).toBeGreaterThanOrEqual(40);
});

test.for(FAULTY)("%s", ([, options, path, value, remedy]) => {
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
      '  redis.url: "": Give the HTTP address of the Redis REST API, "https://...", without user, password, query, spaces or quotes; not a redis:// one.',
      '  redis.token: "": Give the token of the Redis REST API, without "Bearer", quotes, spaces or line breaks.',
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
  test("is warned of if it retries", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const redis = {
      evalsha: async () => [],
      eval: async () => [],
      client: { retry: { attempts: 5 } },
    };
    createLimiter({ redis, policies: [policy] });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/retries: a request whose reply is lost is charged again/),
    );
    warn.mockRestore();
  });

  test.for([
    ["an address", { url: "", token: "t" }, [["redis.url", '""']]],
    ["a token", { url: "https://redis.example", token: undefined }, [["redis.token", '""']]],
    [
      "both, and with a token that has a line break",
      { url: "http://redis.example?x", token: "secret\n" },
      [
        ["redis.url", '"http://(hidden)"'],
        ["redis.token", '"(hidden)"'],
      ],
    ],
  ] as const)("of @upstash/redis without %s is a fault when it is made", ([, given, faults]) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const redis = new Redis(given as { url: string; token: string });
    warn.mockRestore();
    const found = faultsOf({ ...noStore, redis, policies: [policy] });
    expect(found.map(({ path, value }) => [path, value])).toEqual(faults);
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
