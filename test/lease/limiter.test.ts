import { Redis } from "@upstash/redis";
import { describe, expect, inject, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  type RedisClient,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { heldStore, turns } from "../support/optimistic/held-store.ts";
import { testRedis } from "../support/test-redis.ts";

/** A limiter on a real Redis, and how often it asked. */
function isolate(options: Pick<LimiterOptions, "policies" | "lease" | "prefix">) {
  const redis = new Redis({
    url: inject("redisRestUrl"),
    token: inject("redisRestToken"),
    retry: { retries: 0 },
    enableAutoPipelining: false,
  });
  let calls = 0;
  const client: RedisClient = {
    evalsha: (sha1, keys, args) => (calls++, redis.evalsha(sha1, keys, args)),
    eval: (script, keys, args) => redis.eval(script, keys, args),
  };
  // Far more than a decision takes: a stall of the machine must not become a verdict.
  const limiter = createLimiter({ ...options, redis: client, timeout: "5s" });
  return { limiter, calls: () => calls };
}

const redis = testRedis();

const prefix = () => `lease-${crypto.randomUUID()}`;

describe("a limiter with leases, on Redis", () => {
  test("gives out exactly the limit, with a fraction of the calls", async () => {
    const policies = [
      fixedWindow({ name: "daily", limit: 400, window: "1d" }),
      tokenBucket({ name: "bucket", limit: 500, refill: 100, per: "1d" }),
    ];
    const options = { policies, lease: "10s" as const, prefix: prefix() };
    const isolates = [isolate(options), isolate(options)];
    const admitted: number[] = [0, 0];
    for (let request = 0; request < 500; request++) {
      const which = request % 2;
      const decision = await isolates[which]!.limiter.limit("hot");
      admitted[which]! += Number(decision.allowed);
      expect(decision.reason).not.toBe("store-unavailable");
    }
    expect(admitted[0]! + admitted[1]!).toBe(400);
    expect(isolates[0]!.calls() + isolates[1]!.calls()).toBeLessThan(150);
  });

  test("forgets with a reset what leases have cost", async () => {
    const key = prefix();
    const policies = [fixedWindow({ name: "daily", limit: 1_000, window: "1d" })];
    const { limiter } = isolate({ policies, lease: "10s", prefix: key });
    for (let request = 0; request < 10; request++) await limiter.limit("hot");
    const keys = () => redis.keys(`${key}:*`);
    expect(await keys()).toHaveLength(2);
    await limiter.reset("hot");
    expect(await keys()).toEqual([]);
  });

  test("tells the limit that it keeps", async () => {
    const policies = [tokenBucket({ name: "api", limit: 100, refill: 100, per: "1s" })];
    const { limiter } = isolate({ policies, lease: "100ms", prefix: prefix() });
    const decision = await limiter.limit("hot");
    expect(decision.headers().get("RateLimit-Policy")).toBe('"api";q=90;w=1');
    expect((await limiter.limit("hot", { cost: 91 })).reason).toBe("cost-exceeds-limit");
  });
});

test.each(["local", "closed"] as const)(
  "leased units that do not suffice in an outage are dropped, as onFailure %s decides",
  async (onFailure) => {
    const store = heldStore();
    const policies = [fixedWindow({ name: "all", limit: 1_000, window: "1h", lease: "10s" })];
    const limiter = createLimiter({ store, policies, onFailure });
    while (store.calls.at(-1)?.operation !== "lease") {
      void limiter.limit("ada");
      await turns();
      await store.calls.at(-1)!.answer();
    }
    const { costs } = store.calls.at(-1)!;
    const { length } = store.calls;
    // The request that asked for the lease has taken one.
    for (let held = costs[0]! - 1; held > 1; held--) await limiter.limit("ada");
    expect(store.calls).toHaveLength(length);
    const larger = limiter.limit("ada", { cost: 2 });
    await turns();
    await store.calls[length]!.lose();
    expect((await larger).reason).toBe("store-unavailable");
    void limiter.limit("ada");
    await turns();
    expect(store.calls).toHaveLength(length + 2);
    await store.calls[length + 1]!.answer();
  },
);
