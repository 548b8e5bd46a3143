import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { type Policy, segmentedWindow, tokenBucket } from "../../src/policy/policy.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

/** Between the server's clock and the test's. Microseconds. */
const DAYS = 10 * 86_400e6;
const policies: Policy[] = [
  ...everyPolicy(6, "10m"),
  // Its times have fractions: it is never incremented.
  tokenBucket({ limit: 6, refill: 7, per: "10m" }),
  segmentedWindow({ limit: 6, window: "10m", segments: 3 }),
];

const step = fc.record({
  /** In windows; now and then a step of the clock. */
  gap: fc.oneof(
    { weight: 9, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: -3, max: 3, noNaN: true }) },
  ),
  operation: fc.constantFrom("consume" as const, "consume" as const, "charge" as const),
  cost: fc.integer({ min: 1, max: 6 }),
});

test.for(policies)("a key of $algorithm outlives what it says", async (policy) => {
  const { algorithm, limit, parameters, ttl, window: seconds } = compilePolicy(policy);
  const [a, b] = parameters;
  // Where whole times are incremented, a class of times is handed over.
  const kept = algorithm === "token-bucket" && b === 1 ? Math.floor(1.03 ** ttl) + 1 : ttl;
  const decide = algorithmScript(redis, algorithm, ttl);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40, size: "max" }),
      async (steps) => {
        const key = `tg:{${crypto.randomUUID()}}:expiry`;
        let now = FUTURE;
        let expires = 0;
        for (const { gap, operation, cost } of steps) {
          now += Math.round(gap * seconds * 1e6);
          const { resetAfter } = await decide(key, { now, operation, cost, limit, a, b });
          // Persisted after every step, so that an expiry is one that this step has set: as a time of this test's clock,
          // or as a span from the server's.
          const set = await redis.pexpiretime(key);
          if (set > 0) expires = set * 1000 > FUTURE - DAYS ? set * 1000 : now + kept * 1000;
          await redis.persist(key);
          expect(now + resetAfter).toBeLessThanOrEqual(expires);
        }
        await redis.del(key);
      },
    ),
    { numRuns: 100 },
  );
});
