import { afterEach, describe, expect, inject, test, vi } from "vitest";

import { ConfigurationError, createLimiter, fixedWindow } from "../support/limiter/plain.ts";

const policies = [fixedWindow({ name: "environment", limit: 1, window: "1h" })];

const NAMES = [
  "UPSTASH_REDIS_REST_URL",
  "UPSTASH_REDIS_REST_TOKEN",
  "KV_REST_API_URL",
  "KV_REST_API_TOKEN",
];

const BOTH = ["UPSTASH_REDIS_REST_URL is missing", "UPSTASH_REDIS_REST_TOKEN is missing"];

/** Sets these variables in the order of their names; `undefined` is one that is not set. */
function set(...values: readonly (string | undefined)[]): void {
  NAMES.forEach((name, i) => vi.stubEnv(name, values[i]));
}

afterEach(() => {
  vi.unstubAllEnvs();
});

function faults(): readonly string[] {
  try {
    createLimiter({ policies });
  } catch (error) {
    return (error as ConfigurationError).faults.map(
      ({ path, code }) => `${path} is ${code === "missing" ? "missing" : "wrong"}`,
    );
  }
  return [];
}

describe("the variables that name the Redis", () => {
  test.for([
    ["Upstash's", () => [inject("redisRestUrl"), inject("redisRestToken")]],
    [
      "Vercel's where Upstash's are blank",
      () => [" ", "\t\n", inject("redisRestUrl"), inject("redisRestToken")],
    ],
  ] as const)("are %s", async ([, values]) => {
    set(...values());
    const limiter = createLimiter({ policies, timeout: "10s" });
    const identity = crypto.randomUUID();
    const reasons = [await limiter.limit(identity), await limiter.peek(identity)];
    expect(reasons.map(({ reason }) => reason)).toEqual(["allowed", "limited"]);
  });

  test.for([
    ["none is set", [], BOTH],
    ["all are blank", [" ", "\n", " ", "\t"], BOTH],
    ["the token is blank", ["http://192.0.2.1", " "], ["UPSTASH_REDIS_REST_TOKEN is missing"]],
    [
      "the address is of another kind, and the token is missing",
      ["redis://192.0.2.1:6379"],
      ["UPSTASH_REDIS_REST_URL is wrong", "UPSTASH_REDIS_REST_TOKEN is missing"],
    ],
  ] as const)("are at fault where %s", ([, values, expected]) => {
    set(...values);
    expect(faults()).toEqual(expected);
  });
});
