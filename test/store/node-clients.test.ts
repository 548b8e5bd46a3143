import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test, vi } from "vitest";

import {
  ConfigurationError,
  createLimiter,
  fixedWindow,
  type LimiterOptions,
} from "../../src/index.ts";

type Client = NonNullable<LimiterOptions["redis"]>;

function limiterOn(redis: unknown) {
  return createLimiter({
    redis: redis as Client,
    policies: [fixedWindow({ name: "wrapped", limit: 2, window: "30d" })],
    timeout: "10s",
    denialCache: false,
  });
}

function remedyFor(redis: unknown): string {
  try {
    limiterOn(redis);
  } catch (error) {
    const { faults } = error as ConfigurationError;
    expect(faults).toMatchObject([{ path: "redis", value: '"(an object)"' }]);
    return faults[0]!.remedy;
  }
  throw new Error("it was taken");
}

/** What a remedy says to write, as it is when somebody has pasted it. */
function wrapped(redis: unknown, remedy: string): unknown {
  const [, code] = /Wrap it: (\{.*\})\. Commands/.exec(remedy)!;
  return new Function("redis", `return ${code};`)(redis);
}

async function expectDecisions(redis: unknown): Promise<void> {
  const limiter = limiterOn(redis);
  const user = crypto.randomUUID();
  const reasons = [];
  for (let i = 0; i < 3; i++) reasons.push((await limiter.limit(user)).reason);
  expect(reasons).toEqual(["allowed", "allowed", "limited"]);
}

test("an ioredis client is refused with a wrapper that works", async () => {
  const redis = new Redis(inject("redisUrl"), {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  onTestFinished(() => redis.disconnect());
  const remedy = remedyFor(redis);
  expect(remedy).toContain("{ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }");
  await expectDecisions(wrapped(redis, remedy));
});

test("a wrapped ioredis client whose Redis goes away says so, and throws nothing else", async () => {
  const redis = new Redis("redis://127.0.0.1:1", {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  const warnings = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warnings.mockRestore());
  const limiter = limiterOn(wrapped(redis, remedyFor(redis)));
  expect(await limiter.limit("somebody")).toMatchObject({
    reason: "store-unavailable",
    error: { code: "ERR_STORE_UNREACHABLE" },
  });
});

test("a client of node-redis is refused with a wrapper for its signature", async () => {
  const redis = new Redis(inject("redisUrl"));
  onTestFinished(() => redis.disconnect());
  // The package itself is not installed: these are its two functions, as it documents them.
  const nodeRedis = {
    evalSha: (sha1: string, { keys = [], arguments: args = [] }: NodeRedisOptions = {}) =>
      redis.evalsha(sha1, keys.length, ...keys, ...args),
    eval: (script: string, { keys = [], arguments: args = [] }: NodeRedisOptions = {}) =>
      redis.eval(script, keys.length, ...keys, ...args),
  };
  await expectDecisions(wrapped(nodeRedis, remedyFor(nodeRedis)));
});

interface NodeRedisOptions {
  keys?: string[];
  arguments?: string[];
}

test("a client behind a proxy that shows none of its keys is taken for what it is", async () => {
  const redis = new Redis(inject("redisUrl"));
  onTestFinished(() => redis.disconnect());
  const client = wrapped(redis, remedyFor(redis)) as Record<PropertyKey, unknown>;
  const lazy = new Proxy({}, { get: (_target, name) => client[name] });
  await expectDecisions(lazy);
});

test("a client with one of the two functions is refused", () => {
  expect(remedyFor({ evalsha: async () => [] })).toBe(
    "A client has the two functions evalsha and eval.",
  );
});
