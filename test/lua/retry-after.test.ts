import fc from "fast-check";
import { expect, test } from "vitest";

import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

const policies: Policy[] = [
  ...everyPolicy(10, "1s"),
  tokenBucket({ limit: 10, refill: 3, per: "1s" }),
  tokenBucket({ limit: 7, refill: 7, per: "1.000003s" }),
  slidingWindowCounter({ limit: 1_000_000_000, window: "30d" }),
  segmentedWindow({ limit: 10, window: "1s", segments: 7 }),
];

/** The history: costs as shares of the limit, gaps as shares of the window. */
const past = fc.array(
  fc.record({
    gap: fc.double({ min: 0, max: 0.5, noNaN: true }),
    cost: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 12 },
);

test.for(policies)(
  "$algorithm of $limit: a client that waits as told passes, one microsecond earlier does not",
  async (policy) => {
    const { algorithm, limit, windowUs, parameters } = compilePolicy(policy);
    const decide = algorithmScript(redis, algorithm);
    const request = { limit, parameters };
    const share = (part: number) => Math.max(1, Math.round(part * limit));
    await fc.assert(
      fc.asyncProperty(
        past,
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        async (requests, wanted) => {
          const key = `retry:{${crypto.randomUUID()}}`;
          let now = FUTURE;
          for (const { gap, cost } of requests) {
            now += Math.round(gap * windowUs);
            await decide(key, { ...request, nowUs: now, operation: "consume", cost: share(cost) });
          }
          const cost = share(wanted);
          const consume = () => decide(key, { ...request, nowUs: now, operation: "consume", cost });
          let told = await consume();
          while (told.retryAfterUs === 0) told = await consume();
          const then = now + told.retryAfterUs;
          const peek = (time: number) =>
            decide(key, { ...request, nowUs: time, operation: "peek", cost });
          expect(await peek(then - 1)).toMatchObject({ allowed: false, retryAfterUs: 1 });
          expect(await peek(then)).toMatchObject({ allowed: true, retryAfterUs: 0 });

          const whole = now + told.resetAfterUs;
          expect((await peek(whole - 1)).remaining).toBeLessThan(limit);
          expect((await peek(whole)).remaining).toBe(limit);
        },
      ),
      { numRuns: runs(300) },
    );
  },
);
