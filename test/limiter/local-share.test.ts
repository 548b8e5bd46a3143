import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { passing, unsteadyRedis } from "./unsteady-redis.ts";

/* With a share, an isolate without Redis admits that part of each limit, and no more than Redis last said was left. */

const START = Date.UTC(2030, 0, 1, 12);
const TENTH = { local: { share: 0.1 } } as const;

let redis: ReturnType<typeof unsteadyRedis>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: START });
  redis = unsteadyRedis();
  redis.gone = true;
});
afterEach(() => vi.useRealTimers());

function limiterOn(policies: readonly Policy[], options: Partial<LimiterOptions> = {}) {
  return createLimiter({
    store: redis.store,
    policies,
    denialCache: false,
    onFailure: TENTH,
    ...options,
  });
}

const algorithms = everyPolicy(50, "5m").map((policy) => Object.assign(policy, { name: "p" }));

describe.each(algorithms)("a tenth of 50 of a $algorithm", (policy) => {
  test("is five, and all of them again after two windows", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 10)).toBe(5);
    vi.advanceTimersByTime(600_001);
    expect(await passing(limiter, 10)).toBe(5);
  });

  test("is the rest of the limit, beside the policy's own limit", async () => {
    const limiter = limiterOn([policy]);
    const first = await limiter.limit("ada", { cost: 2 });
    expect(first.policies).toMatchObject([{ limit: 50, window: 300, remaining: 3 }]);
    expect(first.headers().get("RateLimit-Policy")).toBe('"p";q=50;w=300');
    expect(first.headers().get("RateLimit")).toMatch(/^"p";r=3;/);
    expect(first.headers().get("X-RateLimit-Limit")).toBe("50");
    expect(first.headers().get("X-RateLimit-Remaining")).toBe("3");
  });

  test("stays a tenth where Redis left more", async () => {
    const limiter = limiterOn([policy]);
    redis.gone = false;
    expect(await passing(limiter, 20)).toBe(20);
    redis.gone = true;
    expect(await passing(limiter, 10)).toBe(5);
  });

  test("is less where Redis left less", async () => {
    const limiter = limiterOn([policy]);
    redis.gone = false;
    await limiterOn([policy]).charge("ada", 46);
    expect(await passing(limiter, 1)).toBe(1);
    redis.gone = true;
    expect((await limiter.peek("ada")).policies[0]!.remaining).toBe(3);
    expect(await passing(limiter, 10)).toBe(3);
  });

  test("is not given again after a short return of Redis", async () => {
    const limiter = limiterOn([policy]);
    let local = 0;
    for (let outage = 0; outage < 4; outage++) {
      redis.gone = true;
      local += await passing(limiter, 3);
      redis.gone = false;
      await limiter.peek("ada");
    }
    expect(local).toBe(5);
  });

  test("is the rest that Redis reported, less the units admitted here without it", async () => {
    const limiter = limiterOn([policy]);
    expect(await passing(limiter, 2)).toBe(2);
    redis.gone = false;
    await limiterOn([policy]).charge("ada", 46);
    await limiter.peek("ada");
    redis.gone = true;
    // Redis left 4, and does not know of 2.
    expect(await passing(limiter, 10)).toBe(2);
  });

  test("has no room for a cost above it, which takes nothing and may be tried when Redis answers", async () => {
    const limiter = limiterOn([policy]);
    for (const call of [limiter.limit, limiter.peek]) {
      const denied = await call("ada", { cost: 6 });
      expect(denied).toMatchObject({ allowed: false, status: 429, retryAfterMs: 1_000 });
      expect(denied.policies).toMatchObject([{ allowed: false, remaining: 5, resetAfterMs: 0 }]);
      expect(denied.headers().get("Retry-After")).toBe("1");
    }
    expect(await passing(limiter, 1, 5)).toBe(1);
    const spent = await limiter.limit("ada", { cost: 50 });
    expect(spent.policies).toMatchObject([{ allowed: false, remaining: 0, retryAfterMs: 1_000 }]);
    expect(spent.policies[0]!.resetAfterMs).toBeGreaterThan(0);
  });

  test("has no room for such a cost after an answer of Redis either", async () => {
    const limiter = limiterOn([policy]);
    redis.gone = false;
    await passing(limiter, 2);
    redis.gone = true;
    const denied = await limiter.limit("ada", { cost: 6 });
    expect(denied.policies).toMatchObject([{ allowed: false, remaining: 5, retryAfterMs: 1_000 }]);
    expect(await passing(limiter, 10)).toBe(5);
  });

  test("is charged the cost, even beyond it", async () => {
    const limiter = limiterOn([policy]);
    expect((await limiter.charge("ada", 30)).allowed).toBe(false);
    expect(await passing(limiter, 3)).toBe(0);
  });

  test("becomes all of it with a share of 1", async () => {
    expect(await passing(limiterOn([policy], { onFailure: { local: { share: 1 } } }), 60)).toBe(50);
    expect(await passing(limiterOn([policy], { onFailure: "local" }), 60)).toBe(50);
  });

  test("becomes one unit with a tiny share", async () => {
    expect(await passing(limiterOn([policy], { onFailure: { local: { share: 1e-9 } } }), 9)).toBe(
      1,
    );
  });
});

test("a share is rounded up to whole units, and 7 % of 100 are 7", async () => {
  for (const [share, units] of [
    [0.07, 7],
    [0.071, 8],
    [0.001, 1],
    [0.999, 100],
  ] as const) {
    const limiter = limiterOn([slidingWindowLog({ limit: 100, window: "1m" })], {
      onFailure: { local: { share } },
    });
    expect([share, await passing(limiter, 101)]).toEqual([share, units]);
  }
});

test("a token bucket has its share again after the time in which all of it refills", async () => {
  const limiter = limiterOn([tokenBucket({ limit: 50, refill: 10, per: "1m" })]);
  expect(await passing(limiter, 5)).toBe(5);
  const { allowed, policies } = await limiter.limit("ada");
  expect([allowed, policies[0]!.retryAfterMs > 299_900]).toEqual([false, true]);
  vi.advanceTimersByTime(299_900);
  expect((await limiter.limit("ada")).allowed).toBe(false);
  vi.advanceTimersByTime(100);
  expect(await passing(limiter, 10)).toBe(5);
});

describe("of several policies", () => {
  const window = "1d";

  test("each has its own share, and its own verdict goes before the limiter's", async () => {
    const limiter = limiterOn([
      fixedWindow({ name: "tenth", limit: 40, window }),
      fixedWindow({ name: "half", limit: 40, window, onFailure: { local: { share: 0.5 } } }),
      fixedWindow({ name: "all", limit: 40, window, onFailure: "local" }),
      fixedWindow({ name: "open", limit: 40, window, onFailure: "open" }),
    ]);
    const { policies } = await limiter.limit("ada", { cost: 3 });
    expect(policies.map(({ remaining }) => remaining)).toEqual([1, 17, 37, 40]);
  });

  test("one without room for a cost keeps the others from taking it, and they report their own verdicts", async () => {
    const limiter = limiterOn([
      fixedWindow({ name: "all", limit: 40, window, onFailure: "local" }),
      fixedWindow({ name: "tenth", limit: 40, window }),
    ]);
    const { policies, status } = await limiter.limit("ada", { cost: 5 });
    expect(status).toBe(429);
    expect(policies).toMatchObject([
      { allowed: true, remaining: 40, retryAfterMs: 0 },
      { allowed: false, remaining: 4, retryAfterMs: 1_000 },
    ]);
    expect((await limiter.limit("ada", { cost: 4 })).policies).toMatchObject([
      { remaining: 36 },
      { remaining: 0 },
    ]);
  });

  test("one that fails closed still denies with 503", async () => {
    const limiter = limiterOn([
      fixedWindow({ name: "tenth", limit: 40, window }),
      fixedWindow({ name: "closed", limit: 40, window, onFailure: "closed" }),
    ]);
    const { policies, status } = await limiter.limit("ada");
    expect([status, policies[0]!.remaining]).toEqual([503, 4]);
  });
});

test("ten isolates with a tenth each admit the limit together", async () => {
  let passed = 0;
  for (let isolate = 0; isolate < 10; isolate++) {
    passed += await passing(limiterOn([slidingWindowLog({ limit: 50, window: "5m" })]), 20);
  }
  expect(passed).toBe(50);
});

test("units that are leased are spent once, and then the share", async () => {
  const limiter = limiterOn([slidingWindowLog({ limit: 1_000, window: "1m" })], { lease: "1s" });
  redis.gone = false;
  expect(await passing(limiter, 300)).toBe(300);
  redis.gone = true;
  vi.advanceTimersByTime(1_001);
  expect(await passing(limiter, 300)).toBe(100);
});
