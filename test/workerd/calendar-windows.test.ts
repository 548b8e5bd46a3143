import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { durableObjectStore, type ObjectNamespace } from "../../src/durable-object.ts";
import { createLimiter, fixedWindow, month, refundable } from "../../src/index.ts";
import { expectedOf, KNOWN, windowOf } from "../support/calendar/known.ts";

describe("calendars in workerd", () => {
  test.for(KNOWN)("%s has a %s (%i) from %s to %s", (known) => {
    expect(windowOf(known)).toEqual(expectedOf(known));
  });

  test.each([
    [
      "Redis",
      {
        redis: {
          url: String(env["UPSTASH_REDIS_REST_URL"]),
          token: String(env["UPSTASH_REDIS_REST_TOKEN"]),
        },
      },
    ],
    [
      "an object",
      { store: durableObjectStore(env["LIMITS"] as ObjectNamespace, { timeout: "10s" }) },
    ],
  ])("hold the limit of a month in %s, give back, and end when it ends", async (_where, store) => {
    const limiter = createLimiter({
      ...store,
      ...("redis" in store && { timeout: "10s" as const }),
      policies: [
        fixedWindow({
          name: "calendar",
          limit: 5,
          window: month({ timeZone: "Asia/Tokyo" }),
          refundable: refundable(),
        }),
      ],
    });
    const user = crypto.randomUUID();
    const hold = await limiter.reserve(user, { cost: 5 });
    const denied = await limiter.limit(user);
    const local = new Date(Date.now() + 9 * 3_600_000);
    const ends = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - 9 * 3_600_000;
    expect(denied.allowed).toBe(false);
    expect(Math.abs(Date.now() + denied.retryAfterMs - ends)).toBeLessThan(30_000);
    await hold.settle(3);
    const decisions = await Promise.all(Array.from({ length: 6 }, () => limiter.limit(user)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(2);
  });
});
