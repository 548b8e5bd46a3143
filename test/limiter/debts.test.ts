import { describe, expect, inject, test } from "vitest";

import { createLimiter, fixedWindow, memoryStore } from "../../src/index.ts";
import { everyPolicy } from "../support/every-policy.ts";

/* What a request that costs nothing meets while a policy is in debt. */

const LIMIT = 10;
const policies = everyPolicy(LIMIT, "1h").map((policy) =>
  Object.assign(policy, { name: "tokens" }),
);
const log = policies.filter(({ algorithm }) => algorithm === "sliding-window-log");

const START_US = Date.UTC(2030, 0, 1) * 1000;

describe("a request that costs nothing", () => {
  test.for(policies)(
    "waits until a debt is paid, and for nothing more: $algorithm",
    async (policy) => {
      let nowUs = START_US;
      const store = memoryStore({ now: () => nowUs });
      // An isolate that knows no denial asks each time.
      const limiter = createLimiter({ store, policies: [policy], denialCache: false });
      await limiter.charge("ada", LIMIT);
      expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: true });
      await limiter.charge("ada", LIMIT / 2);
      const owes = await limiter.limit("ada", { cost: 0 });
      expect(owes).toMatchObject({ allowed: false, reason: "limited", status: 429 });
      expect(await limiter.peek("ada", { cost: 0 })).toMatchObject({ allowed: false });
      nowUs += owes.retryAfterMs * 1000 - 1;
      expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: false });
      nowUs += 1;
      expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: true });
    },
  );

  test.for(policies)(
    "is denied with all others by one policy in debt: $algorithm",
    async (policy) => {
      const store = memoryStore({ now: () => START_US });
      const calls = fixedWindow({ name: "calls", limit: 5, window: "1h" });
      const limiter = createLimiter({ store, policies: [policy, calls] });
      await limiter.charge("ada", { tokens: LIMIT, calls: 0 });
      await limiter.charge("ada", { tokens: 1, calls: 0 });
      expect(await limiter.limit("ada", { cost: { tokens: 0 } })).toMatchObject({
        allowed: false,
        policies: [
          { name: "tokens", allowed: false },
          { name: "calls", allowed: true, remaining: 5 },
        ],
      });
    },
  );

  test.for(log)(
    "has room in a log that counts of one charge its limit: $algorithm",
    async (policy) => {
      const store = memoryStore({ now: () => START_US });
      const limiter = createLimiter({ store, policies: [policy] });
      await limiter.charge("ada", 2 * LIMIT);
      expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: true });
      expect(await limiter.limit("ada")).toMatchObject({ allowed: false });
    },
  );

  test.for(policies)("meets the same in Redis: $algorithm", async (policy) => {
    const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
    const limiter = createLimiter({ redis, timeout: "10s", policies: [policy] });
    const identity = crypto.randomUUID();
    await limiter.charge(identity, LIMIT);
    await limiter.charge(identity, LIMIT);
    expect(await limiter.peek(identity, { cost: 0 })).toMatchObject({ allowed: false });
    expect(await limiter.limit(identity, { cost: 0 })).toMatchObject({ allowed: false });
  });
});
