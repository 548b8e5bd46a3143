import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import {
  createLimiter,
  fixedWindow,
  type ReservingLimiter,
  type Policy,
  tokenBucket,
} from "../support/limiter/plain.ts";

// A bridge of its own per test: it counts the HTTP calls that reach it.
let bridge: Bridge;
beforeEach(async () => {
  bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "t" });
});
afterEach(() => bridge.close());

function limiterOn(...policies: Policy[]) {
  return createLimiter({ redis: { url: bridge.url, token: "t" }, policies, timeout: "10s" });
}

const untilThen = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

test.for(EVERY_ALGORITHM.map(({ of }) => of(3, "700ms", 5)))(
  "$algorithm: once denied, no call until the true moment, and then it passes",
  async (policy) => {
    const limiter = limiterOn(policy);
    const identity = crypto.randomUUID();
    let decision = await limiter.limit(identity);
    let told = performance.now() + decision.policies[0]!.retryAfterMs;
    while (decision.allowed) {
      decision = await limiter.limit(identity);
      told = performance.now() + decision.retryAfterMs;
    }
    // The last allowed request said already that the next one waits: not even the first denial asked Redis.
    expect(decision.reason).toBe("cached-denial");

    const asked = bridge.requests;
    const wait = decision.retryAfterMs;
    let denials = 0;
    for (;;) {
      decision = await limiter.limit(identity);
      // On a machine that does other things the answer may be that of a later time.
      if (performance.now() >= told - 0.02 * wait) break;
      expect([decision.reason, bridge.requests]).toEqual(["cached-denial", asked]);
      denials++;
      if (denials % 100 === 0) await untilThen(1);
    }
    // Thousands, where the machine has time for them.
    expect(denials).toBeGreaterThan(0);

    while (!decision.allowed) {
      await untilThen(told - performance.now());
      decision = await limiter.limit(identity);
    }
    // Soon after it was due, on a machine that does other things, too.
    expect(performance.now() - told).toBeLessThan(5_000);
    // Within the margin for drift Redis is asked once more, not over and over.
    expect(bridge.requests - asked).toBeLessThanOrEqual(3);
  },
);

test("a denied cost of 8 with 5 left does not block a cost of 1, and takes nothing", async () => {
  const limiter = limiterOn(fixedWindow({ limit: 10, window: "1d" }));
  const identity = crypto.randomUUID();
  await limiter.limit(identity, { cost: 5 });
  const denied = await limiter.limit(identity, { cost: 8 });
  expect(denied).toMatchObject({ allowed: false, reason: "limited", policies: [{ remaining: 5 }] });
  expect(await limiter.limit(identity, { cost: 9 })).toMatchObject({ reason: "cached-denial" });
  expect(await limiter.peek(identity)).toMatchObject({
    allowed: true,
    policies: [{ remaining: 5 }],
  });
  expect(await limiter.limit(identity)).toMatchObject({
    allowed: true,
    policies: [{ remaining: 4 }],
  });
});

test("a wall clock that is an hour off changes nothing", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  try {
    const bucket = tokenBucket({ limit: 9, refill: 1, per: "1h" });
    const [limiter, other] = [0, 0].map(() =>
      limiterOn(fixedWindow({ limit: 2, window: "1h" }), bucket),
    ) as [ReservingLimiter, ReservingLimiter];
    const identity = crypto.randomUUID();
    expect((await limiter.limit(identity)).allowed).toBe(true);
    vi.setSystemTime(Date.now() - 7_200_000);
    expect((await other.limit(identity)).policies.map(({ remaining }) => remaining)).toEqual([
      0, 7,
    ]);
    expect((await limiter.limit(identity)).allowed).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test("a charge is known, too: the next request is denied without a call", async () => {
  const limiter = limiterOn(fixedWindow({ limit: 100, window: "1d" }));
  const identity = crypto.randomUUID();
  expect(await limiter.charge(identity, 812)).toMatchObject({ allowed: false, reason: "limited" });
  const asked = bridge.requests;
  expect((await limiter.limit(identity)).reason).toBe("cached-denial");
  expect(bridge.requests).toBe(asked);
});
