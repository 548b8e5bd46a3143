import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { client, createLimiter, slidingWindowLog, tokenBucket } from "../../src/index.ts";

/* `performance.now()` is the wall clock here, and a machine's wall clock is set back now and then. */

const redis = {
  url: String(env["UPSTASH_REDIS_REST_URL"]),
  token: String(env["UPSTASH_REDIS_REST_TOKEN"]),
};

let step: number;
beforeEach(() => {
  step = 0;
  const real = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => real() + step);
});
afterEach(() => vi.restoreAllMocks());

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("shows the wall clock", () => {
  expect(Math.abs(performance.now() - Date.now())).toBeLessThan(1_000);
});

test("a denial of a second ends after a second, though the clock stepped back by an hour", async () => {
  const limiter = createLimiter({
    redis,
    timeout: "5s",
    policies: [slidingWindowLog({ name: "steps", limit: 1, window: "1s" })],
  });
  const user = crypto.randomUUID();
  await limiter.limit(user);
  expect((await limiter.limit(user)).reason).toBe("cached-denial");
  step = -3_600_000;
  await sleep(1_100);
  expect((await limiter.limit(user)).reason).toBe("allowed");
});

test("an open breaker is probed at once after a step back", async () => {
  let broken = true;
  let sent = 0;
  const limiter = createLimiter({
    redis: client({
      evalsha: async () => {
        sent++;
        if (broken) throw new TypeError("gone");
        return [Date.now() * 1000, 1, 0, 0, 0];
      },
      eval: async () => [],
    }),
    policies: [tokenBucket({ name: "steps", limit: 1, refill: 1, per: "1h" })],
    onFailure: "open",
    onStoreError: () => {},
  });
  for (let request = 0; request < 9; request++) await limiter.limit("somebody");
  expect(sent).toBe(5);
  broken = false;
  step = -3_600_000;
  expect((await limiter.limit("somebody")).reason).toBe("allowed");
});
