import { inspect } from "node:util";

import { expect, inject, test } from "vitest";

import { createLimiter, fixedWindow, memoryStore } from "../support/limiter/plain.ts";

const policies = [fixedWindow({ name: "hourly", limit: 2, window: "1h" })];
const row = {
  name: "hourly",
  limit: 2,
  window: 3600,
  remaining: 1,
  retryAfterMs: 0,
  resetAfterMs: expect.any(Number),
  allowed: true,
};

/** The written value, read as the literal that it is. */
function written(value: unknown): unknown {
  const text = inspect(value, { depth: 5 });
  return new Function(`return (${text})`)();
}

test("console.log shows a decision with its policies", async () => {
  const limiter = createLimiter({ store: memoryStore(), policies });
  const allowed = await limiter.limit("ada");
  const shown = { allowed: true, reason: "allowed", status: 200, retryAfterMs: 0, policies: [row] };
  expect(written(allowed)).toEqual(shown);
  expect(written({ request: { decision: allowed } })).toEqual({ request: { decision: shown } });
  expect(JSON.parse(JSON.stringify(allowed))).toEqual(shown);

  const never = await limiter.limit("ada", { cost: 3 });
  expect(written(never)).toMatchObject({
    allowed: false,
    reason: "cost-exceeds-limit",
    status: 429,
    retryAfterMs: Infinity,
    policies: [{ name: "hourly", retryAfterMs: Infinity }],
  });
  // JSON has no Infinity.
  expect(JSON.parse(JSON.stringify(never))).toMatchObject({ status: 429, retryAfterMs: null });
});

test("it shows what went wrong with the store; JSON, which may reach a client, its code alone", async () => {
  const redis = { url: inject("redisRestUrl"), token: "not-the-token" };
  const limiter = createLimiter({ redis, policies, onStoreError: () => {} });
  const decision = await limiter.limit("ada");
  expect(inspect(decision)).toMatch(/StoreError: .*token[^]*ERR_STORE_UNAUTHORIZED/);
  expect(JSON.parse(JSON.stringify(decision))).toMatchObject({
    reason: "store-unavailable",
    error: { code: "ERR_STORE_UNAUTHORIZED" },
  });
  expect(JSON.stringify(decision)).not.toContain(redis.token);
  expect(JSON.parse(JSON.stringify(decision)).error).not.toHaveProperty("message");
});
