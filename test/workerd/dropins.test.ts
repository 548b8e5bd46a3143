import { Redis } from "@upstash/redis/cloudflare";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { expect, test } from "vitest";

import { tidegateStorage } from "../../src/better-auth.ts";
import { durableObjectStore, type ObjectNamespace } from "../../src/durable-object.ts";
import { TidegateStore } from "../../src/express-rate-limit.ts";
import { TidegateThrottlerStorage } from "../../src/nest-throttler.ts";
import { Ratelimit } from "../../src/upstash-ratelimit.ts";

const prefix = () => `w-${crypto.randomUUID()}`;

test("in workerd the drop-ins count in the Redis that is bound", async () => {
  const app = new Hono();
  app.use(
    rateLimiter({
      windowMs: 60_000,
      limit: 1,
      keyGenerator: () => "client",
      store: new TidegateStore({ prefix: prefix(), timeout: "20s" }),
    }),
  );
  app.get("/", (c) => c.text("hello"));
  expect([(await app.request("/")).status, (await app.request("/")).status]).toEqual([200, 429]);

  const storage = tidegateStorage({ prefix: prefix(), timeout: "20s" });
  const rule = { window: 60, max: 1 };
  expect((await storage.consume("ada", rule)).allowed).toBe(true);
  expect((await storage.consume("ada", rule)).allowed).toBe(false);

  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env as never;
  const ratelimit = new Ratelimit({
    redis: new Redis({ url, token }),
    limiter: Ratelimit.slidingWindow(1, "1 h"),
    prefix: prefix(),
    timeout: 20_000,
    analytics: true,
  });
  const { success, pending } = await ratelimit.limit("ada");
  await pending;
  expect([success, (await ratelimit.limit("ada")).reason]).toEqual([true, "cacheBlock"]);
});

test("in workerd the drop-ins count in Durable Objects", async () => {
  const { LIMITS } = env as unknown as { readonly LIMITS: ObjectNamespace };
  const place = () => ({ store: durableObjectStore(LIMITS, { timeout: "20s" }), prefix: prefix() });

  const hits = new TidegateStore(place());
  hits.init({ windowMs: 60_000 });
  for (const total of [1, 2]) expect((await hits.increment("ada")).totalHits).toBe(total);
  await hits.decrement("ada");
  expect((await hits.get("ada"))!.totalHits).toBe(1);
  await hits.resetKey("ada");
  expect(await hits.get("ada")).toBeUndefined();

  const storage = tidegateStorage(place());
  const consume = async () => (await storage.consume("ada", { window: 60, max: 1 })).allowed;
  expect([await consume(), await consume()]).toEqual([true, false]);

  const throttler = new TidegateThrottlerStorage(place());
  const records = [];
  for (let i = 0; i < 4; i++) records.push(await throttler.increment("ada", 60_000, 2, 90_000, ""));
  expect(records.map(({ isBlocked }) => isBlocked)).toEqual([false, false, true, true]);
  expect(records[2]!.timeToBlockExpire).toBe(90);
});
