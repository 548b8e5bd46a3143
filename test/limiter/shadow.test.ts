import { expect, inject, test } from "vitest";

import {
  createLimiter,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";

/** A generator with a seed, so that a failing run can be repeated. */
function random(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

test.for<Policy>([
  tokenBucket({ limit: 5, refill: 50, per: "1s" }),
  slidingWindowLog({ limit: 10, window: "150ms" }),
  slidingWindowCounter({ limit: 10, window: "150ms" }),
  segmentedWindow({ limit: 10, window: "150ms", segments: 6 }),
])("$algorithm: Redis would have denied whatever the isolate denied alone", async (policy) => {
  const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  const isolates = [0, 1, 2].map(() =>
    createLimiter({ redis, policies: [policy], timeout: "10s" }),
  );
  const witness = createLimiter({ redis, policies: [policy], timeout: "10s", denialCache: false });
  const identity = crypto.randomUUID();
  let local = 0;

  await Promise.all(
    isolates.map(async (limiter, isolate) => {
      const next = random(isolate);
      const end = performance.now() + 700;
      while (performance.now() < end) {
        const cost = 1 + Math.floor(next() * 4);
        const told = await limiter.limit(identity, { cost });
        if (told.reason === "cached-denial") {
          // By the time Redis sees the question some of the wait is over: what is left of it must still be a denial.
          const seen = performance.now();
          const truth = await witness.peek(identity, { cost });
          const passed = performance.now() - seen;
          if (passed < told.retryAfterMs) {
            expect(truth.allowed, `cost ${cost}, ${told.retryAfterMs} ms left`).toBe(false);
            local++;
          }
        }
        if (next() < 0.3) await new Promise((resolve) => setTimeout(resolve, 5 * next()));
      }
    }),
  );
  expect(local).toBeGreaterThan(50);
});
