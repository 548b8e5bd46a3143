import { beforeEach, expect, inject, test, vi } from "vitest";

import { fixedWindow, limit, tokenBucket } from "../support/limiter/plain.ts";

beforeEach(() => {
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
});

test("one call decides, with a policy built anew each time, and the isolate's knowledge is shared", async () => {
  const identity = crypto.randomUUID();
  const call = () => limit(identity, tokenBucket({ limit: 2, refill: 1, per: "1h" }));
  expect(await call()).toMatchObject({
    allowed: true,
    reason: "allowed",
    policies: [{ remaining: 1 }],
  });
  expect(await call()).toMatchObject({ allowed: true, policies: [{ remaining: 0 }] });
  expect(await call()).toMatchObject({ allowed: false, reason: "cached-denial" });
  const response = (await call()).response();
  expect(response.status).toBe(429);
  expect(response.headers.get("RateLimit-Policy")).toBe('"token-bucket-2-1-per-1h";q=2;w=7200');
});

test("takes a cost", async () => {
  const identity = crypto.randomUUID();
  const decision = await limit(identity, fixedWindow({ limit: 10, window: "1d" }), { cost: 3 });
  expect(decision.policies).toMatchObject([{ name: "fixed-window-10-1d", remaining: 7 }]);
});

test.for([
  ["an empty identity", "", { cost: 1 }, "ERR_IDENTITY"],
  ["an identity that is no text", 42, { cost: 1 }, "ERR_IDENTITY"],
  ["a negative cost", "somebody", { cost: -1 }, "ERR_COST"],
  ["a fraction of a cost", "somebody", { cost: 1.5 }, "ERR_COST"],
  ["a cost of NaN", "somebody", { cost: Number.NaN }, "ERR_COST"],
] as const)("%s is refused", async ([, identity, options, code]) => {
  const policy = fixedWindow({ limit: 10, window: "1d" });
  await expect(limit(identity as string, policy, options)).rejects.toMatchObject({ code });
});

test("a policy with faults is refused", async () => {
  await expect(limit("somebody", fixedWindow({ limit: 0, window: "1d" }))).rejects.toMatchObject({
    code: "ERR_CONFIGURATION",
    faults: [{ path: "policies[0].limit" }],
  });
});
