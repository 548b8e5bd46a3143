import { afterEach, describe, expect, test, vi } from "vitest";

import {
  createLimiter,
  fixedWindow,
  memoryStore,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  type Store,
  StoreError,
  tokenBucket,
} from "../support/limiter/plain.ts";

/* A store that has a clock of its own lends it to the limiter: when it moves, known denials move, too. */

afterEach(() => vi.useRealTimers());

const START = Date.UTC(2030, 0, 1) * 1000;
const MINUTE = 60_000_000;

const minutely = [
  tokenBucket({ limit: 1, refill: 1, per: "1m" }),
  slidingWindowLog({ limit: 1, window: "1m" }),
  slidingWindowCounter({ limit: 1, window: "1m" }),
  segmentedWindow({ limit: 1, window: "1m", segments: 1 }),
  fixedWindow({ limit: 1, window: "1m" }),
];

describe.each(minutely)("$algorithm over a memory store with a clock of its own", (policy) => {
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
});

test("a clock that is set back forgets denials, but no counts", async () => {
  let now = START;
  const limiter = createLimiter({
    store: memoryStore({ now: () => now }),
    policies: [minutely[0]!],
  });
  await limiter.limit("ada");
  expect((await limiter.limit("ada")).reason).toBe("cached-denial");
  now -= 60 * MINUTE;
  expect((await limiter.limit("ada")).reason).toBe("limited");
});

test("leases end by it", async () => {
  let now = START;
  const counts = memoryStore({ now: () => now });
  const asked: string[] = [];
  const store: Store = {
    ...counts,
    decide(operation, ...request) {
      asked.push(operation);
      return counts.decide(operation, ...request);
    },
  };
  const limiter = createLimiter({
    store,
    policies: [tokenBucket({ limit: 1_000, refill: 1_000, per: "1s" })],
    lease: "100ms",
  });
  for (let request = 0; request < 200; request++) {
    now += 1_000;
    await limiter.limit("ada");
  }
  asked.length = 0;
  await limiter.limit("ada");
  expect(asked).toEqual([]);
  now += MINUTE;
  await limiter.limit("ada");
  expect(asked).toEqual(["consume"]);
});

test("the memory store's own default clock moves with faked timers, and with a faked date alone", async () => {
  for (const alone of [false, true]) {
    vi.useFakeTimers({ ...(alone && { toFake: ["Date"] }), now: START / 1000 });
    const limiter = createLimiter({ store: memoryStore(), policies: [minutely[1]!] });
    await limiter.limit("ada");
    expect((await limiter.limit("ada")).allowed).toBe(false);
    vi.setSystemTime(START / 1000 + 60_000);
    expect((await limiter.limit("ada")).allowed).toBe(true);
    vi.useRealTimers();
  }
});

test("a custom store lends its clock as well, also for counts while it fails", async () => {
  let now = START;
  let broken = false;
  const counts = memoryStore({ now: () => now });
  const store: Store = {
    ...counts,
    decide(...request) {
      if (broken) throw new StoreError("ERR_STORE_TIMEOUT", "It is slow.");
      return counts.decide(...request);
    },
  };
  const limiter = createLimiter({ store, policies: [minutely[1]!] });
  await limiter.limit("ada");
  now += MINUTE;
  broken = true;
  expect((await limiter.limit("ada")).allowed).toBe(true);
  const denied = await limiter.limit("ada");
  expect(denied.allowed).toBe(false);
  expect(denied.headers().get("X-RateLimit-Reset")).toBe(String((START + 2 * MINUTE) / 1e6));
  now += MINUTE;
  expect((await limiter.limit("ada")).allowed).toBe(true);
});
