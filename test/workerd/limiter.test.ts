import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { createLimiter } from "../../src/limiter/create-limiter.ts";

const redis = {
  url: String(env["UPSTASH_REDIS_REST_URL"]),
  token: String(env["UPSTASH_REDIS_REST_TOKEN"]),
};

describe("createLimiter() in workerd, on a real Redis", () => {
  test("decides several policies together", async () => {
    const limiter = createLimiter({
      redis,
      timeout: "5s",
      policies: [
        slidingWindowLog({ name: "burst", limit: 2, window: "1h" }),
        fixedWindow({ name: "daily", limit: 5, window: "30d" }),
      ],
    });
    const user = crypto.randomUUID();
    const decisions = [];
    for (let i = 0; i < 3; i++) decisions.push(await limiter.limit(user));
    expect(decisions.map(({ reason }) => reason)).toEqual(["allowed", "allowed", "cached-denial"]);
    const left = decisions.map(({ policies }) => policies.map(({ remaining }) => remaining));
    expect(left).toEqual([
      [1, 4],
      [0, 3],
      [0, 3],
    ]);
    expect(decisions[2]!.response().status).toBe(429);
  });

  test("admits exactly the limit of many requests at once", async () => {
    const limiter = createLimiter({
      redis,
      timeout: "10s",
      policies: [fixedWindow({ name: "exact", limit: 20, window: "30d" })],
    });
    const user = crypto.randomUUID();
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.limit(user)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(20);
    expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(["allowed", "limited"]));
  });

  test("peeks, charges and resets", async () => {
    const limiter = createLimiter({
      redis,
      timeout: "5s",
      policies: [tokenBucket({ name: "tokens", limit: 100, refill: 1, per: "1h" })],
    });
    const user = crypto.randomUUID();
    expect((await limiter.charge(user, 80)).policies[0]!.remaining).toBe(20);
    expect((await limiter.peek(user, { cost: 21 })).allowed).toBe(false);
    expect((await limiter.limit(user, { cost: 20 })).allowed).toBe(true);
    await limiter.reset(user);
    expect((await limiter.peek(user)).policies[0]!.remaining).toBe(100);
  });
});
