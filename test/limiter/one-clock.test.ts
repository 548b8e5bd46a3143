import { afterEach, describe, expect, test, vi } from "vitest";

import { createLimiter, memoryStore, slidingWindowLog, tokenBucket } from "../../src/index.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";

/* A store that has a clock of its own lends it to the limiter: when it moves, known denials move, too. */

afterEach(() => vi.useRealTimers());

const START = Date.UTC(2030, 0, 1) * 1000;
const MINUTE = 60_000_000;

const log = slidingWindowLog({ limit: 1, window: "1m" });

describe.each(everyPolicy(1, "1m"))(
  "$algorithm over a memory store with a clock of its own",
  (policy) => {
    test("a denied identity passes when that clock has moved on, and is denied until then", async () => {
      let now = START;
      const limiter = createLimiter({ store: memoryStore({ now: () => now }), policies: [policy] });
      expect((await limiter.limit("ada")).allowed).toBe(true);
      const denied = await limiter.limit("ada");
      expect(denied).toMatchObject({ allowed: false, reason: "cached-denial" });
      now += denied.retryAfterMs * 1000 - 1;
      expect((await limiter.limit("ada")).allowed).toBe(false);
      now += 1;
      expect((await limiter.limit("ada")).allowed).toBe(true);
    });
  },
);

test("a clock that is set back forgets denials, but no counts", async () => {
  const { store, world } = watchedStore(START);
  const limiter = createLimiter({ store, policies: [log] });
  await limiter.limit("ada");
  expect((await limiter.limit("ada")).reason).toBe("cached-denial");
  world.nowUs -= 60 * MINUTE;
  expect((await limiter.limit("ada")).reason).toBe("limited");
});

test("leases end by it", async () => {
  const { store, world, asked } = watchedStore(START);
  const limiter = createLimiter({
    store,
    policies: [tokenBucket({ limit: 1_000, refill: 1_000, per: "1s" })],
    lease: "100ms",
  });
  for (let request = 0; request < 200; request++) {
    world.nowUs += 1_000;
    await limiter.limit("ada");
  }
  asked.length = 0;
  await limiter.limit("ada");
  expect(asked).toEqual([]);
  world.nowUs += MINUTE;
  await limiter.limit("ada");
  expect(asked.map(({ call }) => call)).toEqual(["consume"]);
});

test("the memory store's own default clock moves with faked timers, and with a faked date alone", async () => {
  for (const alone of [false, true]) {
    vi.useFakeTimers({ ...(alone && { toFake: ["Date"] }), now: START / 1000 });
    const limiter = createLimiter({ store: memoryStore(), policies: [log] });
    await limiter.limit("ada");
    expect((await limiter.limit("ada")).allowed).toBe(false);
    vi.setSystemTime(START / 1000 + 60_000);
    expect((await limiter.limit("ada")).allowed).toBe(true);
    vi.useRealTimers();
  }
});

test("a custom store lends its clock as well, also for counts while it fails", async () => {
  const { store, world } = watchedStore(START);
  const limiter = createLimiter({ store, policies: [log] });
  await limiter.limit("ada");
  world.nowUs += MINUTE;
  world.failure = NO_ANSWER;
  expect((await limiter.limit("ada")).allowed).toBe(true);
  const denied = await limiter.limit("ada");
  expect(denied.allowed).toBe(false);
  expect(denied.headers().get("X-RateLimit-Reset")).toBe(String((START + 2 * MINUTE) / 1e6));
  world.nowUs += MINUTE;
  expect((await limiter.limit("ada")).allowed).toBe(true);
});
