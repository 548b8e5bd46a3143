import { Redis } from "ioredis";
import { createClient, RESP_TYPES } from "redis";
import { expect, inject, onTestFinished, test, vi } from "vitest";

import {
  client,
  ConfigurationError,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
} from "../../src/index.ts";
import { fromIoredis, fromNodeRedis } from "../../src/node.ts";

type Given = NonNullable<CreateLimiterOptions["redis"]>;

function limiterOn(redis: unknown) {
  return createLimiter({
    redis: redis as Given,
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

async function expectDecisions(redis: unknown): Promise<void> {
  const limiter = limiterOn(redis);
  const user = crypto.randomUUID();
  const reasons = [];
  for (let i = 0; i < 3; i++) reasons.push((await limiter.limit(user)).reason);
  expect(reasons).toEqual(["allowed", "allowed", "limited"]);
}

const NO_RETRY = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 };

/** A client of ioredis that ends with the test. */
function ioredis(url: string, options = {}): Redis {
  const redis = new Redis(url, options);
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

function warnings() {
  const spy = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.map(([text]) => String(text));
}

test("fromIoredis() decides through the client's connection, two commands for a first decision on a new script", async () => {
  const said = warnings();
  const redis = ioredis(inject("redisUrl"), NO_RETRY);
  const evalsha = vi.spyOn(redis, "evalsha");
  await expectDecisions(fromIoredis(redis));
  // One for each decision, and at most one for each way in which the script may be loaded.
  expect(evalsha.mock.calls.length).toBeGreaterThanOrEqual(3);
  expect(evalsha.mock.calls.at(-1)![1]).toBe(1);
  expect(said()).toEqual([]);
});

test("a client that makes texts of numbers decides, too", async () => {
  const own = await createClient({
    url: inject("redisUrl"),
    commandOptions: { typeMapping: { [RESP_TYPES.NUMBER]: String } },
  }).connect();
  onTestFinished(() => own.destroy());
  await expectDecisions(fromNodeRedis(own as never));
  await expectDecisions(
    fromIoredis(ioredis(inject("redisUrl"), { ...NO_RETRY, stringNumbers: true })),
  );
});

test("an ioredis client that is given as it is is refused, and the fault names what to give", () => {
  const redis = ioredis(inject("redisUrl"));
  expect(remedyFor(redis)).toContain(
    "For ioredis or node-redis, give fromIoredis(...) or fromNodeRedis(...) of tidegate/node.",
  );
  const remedy = remedyFor(client(redis as never));
  expect(remedy).toContain("fromIoredis(redis), of tidegate/node");
  expect(remedy).toContain("{ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }");
});

test("an ioredis client whose Redis goes away says so, and throws no other error", async () => {
  const said = warnings();
  const limiter = limiterOn(fromIoredis(ioredis("redis://127.0.0.1:1", NO_RETRY)));
  expect(await limiter.limit("somebody")).toMatchObject({
    reason: "store-unavailable",
    error: { code: "ERR_STORE_UNREACHABLE" },
  });
  expect(said()).toHaveLength(1);
});

test("fromNodeRedis() decides through the client's connection", async () => {
  const redis = createClient({ url: inject("redisUrl"), disableOfflineQueue: true });
  await redis.connect();
  onTestFinished(() => redis.destroy());
  await expectDecisions(fromNodeRedis(redis));
});

test("a client of node-redis that is given as it is is refused, and the fault names what to give", async () => {
  const redis = createClient({ url: inject("redisUrl") });
  expect(remedyFor(client(redis as never))).toBe("Give fromNodeRedis(redis), of tidegate/node.");
});

test("a node-redis client without a connection says so, and throws no other error", async () => {
  warnings();
  const limiter = limiterOn(fromNodeRedis(createClient({ disableOfflineQueue: true })));
  expect(await limiter.limit("somebody")).toMatchObject({ reason: "store-unavailable" });
});

test("the other client is refused with the name of one that would fit", () => {
  const redis = ioredis(inject("redisUrl"), NO_RETRY);
  expect(() => fromNodeRedis(redis as never)).toThrow(
    "Give a client, a pool or a cluster of node-redis.",
  );
  expect(() => fromIoredis(createClient() as never)).toThrow(
    "Give a Redis or a Cluster of ioredis.",
  );
  expect(() => fromIoredis(undefined as never)).toThrow(ConfigurationError);
});

test("a client behind a proxy that shows none of its keys is recognised", async () => {
  const own = fromIoredis(ioredis(inject("redisUrl"), NO_RETRY)) as unknown as Record<
    PropertyKey,
    unknown
  >;
  const lazy = new Proxy({}, { get: (_target, name) => own[name] });
  await expectDecisions(lazy);
});

test("a client with one of the two functions is refused", () => {
  expect(remedyFor(client({ evalsha: async () => [] } as never))).toBe(
    "A client has the two functions evalsha and eval.",
  );
});

test("the greatest limit has answers of Redis through both clients, whose parsers misread it", async () => {
  const said = warnings();
  const own = await createClient({ url: inject("redisUrl"), disableOfflineQueue: true }).connect();
  onTestFinished(() => own.destroy());
  const limit = Number.MAX_SAFE_INTEGER;
  for (const redis of [fromIoredis(ioredis(inject("redisUrl"), NO_RETRY)), fromNodeRedis(own)]) {
    const limiter = createLimiter({
      redis,
      policies: [fixedWindow({ name: "unlimited", limit, window: "30d" })],
      timeout: "10s",
    });
    const user = crypto.randomUUID();
    const remaining: number[] = [];
    for (const cost of [0, 1, limit - 101, 99]) {
      const decision = await limiter.limit(user, { cost });
      expect(decision.reason).toBe("allowed");
      remaining.push(decision.policies[0]!.remaining);
    }
    expect(remaining).toEqual([limit, limit - 1, 100, 1]);
    expect((await limiter.limit(user, { cost: 2 })).reason).toBe("limited");
  }
  expect(said()).toEqual([]);
});
