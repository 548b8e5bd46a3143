import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { openMemoryStore } from "../../src/store/memory-store.ts";
import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  type Operation,
  type RedisClient,
  type Reply,
  shareDenials,
  type Store,
  tokenBucket,
} from "../support/limiter/plain.ts";

/*
 * On Workers `performance.now()` is the wall clock, and steps with it. Here the test sets it, and it does not move by itself.
 */

const HOUR = 3_600_000;

/** The time that the isolate's clock shows, and the true time; both in milliseconds. */
let shown: number;
let truth: number;
/** What Redis was asked. */
let asked: Operation[];

beforeEach(() => {
  shown = truth = 1_800_000_000_000;
  asked = [];
  vi.spyOn(performance, "now").mockImplementation(() => shown);
});
afterEach(() => vi.restoreAllMocks());

function pass(milliseconds: number): void {
  shown += milliseconds;
  truth += milliseconds;
}

/** A Redis in the true time, which is there at once. */
function redis(): Store {
  const model = openMemoryStore({ now: () => truth * 1000 });
  return {
    decide(operation, ...request) {
      asked.push(operation);
      return model.decide(operation, ...request);
    },
    reset: (keys) => model.reset(keys),
  };
}

function limiterOn(options: Partial<LimiterOptions> = {}) {
  const policies = [tokenBucket({ name: "one", limit: 1, refill: 1, per: "1s" })];
  return createLimiter({ store: redis(), policies, ...options });
}

test.for([
  ["an hour", HOUR],
  ["a day", 24 * HOUR],
  ["a second", 1_000],
  ["hardly more than has passed", 400],
])("a denial ends in time though the clock stepped back by %s", async ([, by]) => {
  const limiter = limiterOn();
  await limiter.limit("a");
  expect((await limiter.limit("a")).reason).toBe("cached-denial");
  pass(300);
  shown -= by as number;
  expect((await limiter.limit("a")).reason).toBe("limited");
  pass(700);
  expect((await limiter.limit("a")).reason).toBe("allowed");
});

test("a denial ends in time though the clock stepped forwards and back again, seen or unseen", async () => {
  for (const seen of [true, false]) {
    const limiter = limiterOn();
    await limiter.limit("a");
    shown += HOUR;
    if (seen) expect((await limiter.limit("a")).reason).toBe("limited");
    shown -= HOUR;
    pass(1_000);
    expect((await limiter.limit("a")).reason).toBe("allowed");
  }
});

test("an answer that was under way while the clock stepped back is no denial beyond its time", async () => {
  const model = redis();
  const limiter = limiterOn({
    store: {
      ...model,
      decide(...request) {
        const reply = model.decide(...request);
        if (asked.length === 2) shown -= HOUR;
        return reply;
      },
    },
  });
  await limiter.charge("a", 1);
  await limiter.peek("a");
  expect((await limiter.limit("a")).reason).toBe("limited");
  pass(1_000);
  expect((await limiter.limit("a")).reason).toBe("allowed");
});

test("a clock that stands still, or shows the same moment to another request, forgets nothing", async () => {
  const limiter = limiterOn();
  await limiter.limit("a");
  for (let request = 0; request < 100; request++) {
    expect((await limiter.limit("a")).reason).toBe("cached-denial");
    // One request's clock may be some milliseconds behind another's.
    shown += request % 2 === 0 ? 2 : -2;
  }
  expect(asked).toHaveLength(1);
});

test("of many such differences none makes a denial longer", async () => {
  const limiter = limiterOn();
  await limiter.limit("a");
  for (let at = 0; at < 1_000; at += 10) {
    expect((await limiter.limit("a")).allowed).toBe(false);
    shown -= 2;
    await limiter.peek("other");
    shown += 2;
    pass(10);
  }
  expect((await limiter.limit("a")).reason).toBe("allowed");
});

test("an open breaker is probed at once", async () => {
  let broken = true;
  let sent = 0;
  const client: RedisClient = {
    evalsha: async () => {
      sent++;
      if (broken) throw new TypeError("fetch failed");
      return [truth * 1000, 1, 0, 0, 0];
    },
    eval: async () => [],
  };
  const limiter = createLimiter({
    redis: client,
    policies: [fixedWindow({ limit: 9, window: "1d" })],
    onFailure: "open",
    onStoreError: () => {},
  });
  for (let request = 0; request < 9; request++) await limiter.limit("a");
  expect(sent).toBe(5);
  broken = false;
  shown -= HOUR;
  expect((await limiter.limit("a")).reason).toBe("allowed");
  expect(sent).toBe(6);
});

test("units taken ahead are not spent any more", async () => {
  const limiter = limiterOn({
    policies: [tokenBucket({ name: "many", limit: 1_000, refill: 1_000, per: "1s" })],
    lease: "100ms",
  });
  for (let request = 0; request < 200; request++) {
    pass(1);
    await limiter.limit("a");
  }
  asked = [];
  // Some are held, and no store is asked.
  pass(1);
  await limiter.limit("a");
  expect(asked).toEqual([]);
  shown -= HOUR;
  await limiter.limit("a");
  expect(asked).toEqual(["consume"]);
  // And it soon takes some ahead again: the step is not taken for a way to Redis that takes an hour.
  for (let request = 0; request < 60; request++) {
    pass(1);
    await limiter.limit("a");
  }
  expect(asked).toContain("lease");
});

test("a step while a lease is asked for does not end leases for long", async () => {
  const model = redis();
  let step = 0;
  const limiter = limiterOn({
    policies: [tokenBucket({ name: "many", limit: 1_000, refill: 1_000, per: "1s" })],
    lease: "100ms",
    store: {
      ...model,
      async decide(...request) {
        const reply: Reply = await model.decide(...request);
        shown -= step;
        step = 0;
        return reply;
      },
    },
  });
  for (let request = 0; request < 200; request++) {
    pass(1);
    if (request === 150) step = HOUR;
    await limiter.limit("a");
  }
  asked = [];
  for (let request = 0; request < 100; request++) {
    pass(1);
    await limiter.limit("a");
  }
  expect(asked).toContain("lease");
  expect(asked.length).toBeLessThan(50);
});

test("a denial learnt from another isolate is judged anew", async () => {
  const notes = new Map<string, string>();
  const client: RedisClient = { evalsha: async () => answer(), eval: async () => answer() };
  /** Denied for a second from the first question on. */
  const start = truth;
  const answer = () => {
    asked.push("consume");
    const left = start + 1_000 - truth;
    return [truth * 1000, left > 0 ? 0 : 1, 0, Math.max(0, left) * 1000, left * 1000];
  };
  const isolate = () =>
    createLimiter({
      redis: client,
      policies: [tokenBucket({ name: "one", limit: 1, refill: 1, per: "1s" })],
      sharedDenials: shareDenials({
        get: async (key) => notes.get(key),
        put: (key, text) => void notes.set(key, text),
      }),
    });
  const one = isolate();
  await one.limit("a");
  pass(100);
  shown -= HOUR;
  expect((await one.limit("a")).reason).toBe("limited");
  pass(900);
  expect((await one.limit("a")).reason).toBe("allowed");
});
