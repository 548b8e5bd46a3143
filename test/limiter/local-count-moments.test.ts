import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import {
  createLimiter,
  memoryStore,
  slidingWindowLog,
  type Store,
  StoreError,
} from "../../src/index.ts";

/* The moments of units that are counted without Redis, and those that a reset forgets. */

const WINDOW = 300_000;

let gone: boolean;
let model: Store;
/** The promises on which an answer and a reset wait. */
let held: Promise<void> | undefined;
let heldReset: Promise<void> | undefined;
const distant: Store = {
  async decide(...request) {
    if (gone) throw new StoreError("ERR_STORE_TIMEOUT", "It is slow.");
    const reply = await model.decide(...request);
    await held;
    return reply;
  },
  async reset(keys) {
    await heldReset;
    await model.reset(keys);
  },
};

let limiter: ReturnType<typeof createLimiter>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2030, 0, 1, 12) });
  gone = false;
  held = heldReset = undefined;
  model = memoryStore({ now: () => Date.now() * 1000 });
  const policies = [slidingWindowLog({ limit: 5, window: "5m" })];
  limiter = createLimiter({ store: distant, policies, denialCache: false });
});
afterEach(() => vi.useRealTimers());

const ask = () => {
  vi.advanceTimersByTime(1);
  return limiter.limit("ada");
};

async function passing(requests: number): Promise<number> {
  let allowed = 0;
  for (let i = 0; i < requests; i++) allowed += Number((await ask()).allowed);
  return allowed;
}

describe("a unit", () => {
  test("that Redis counted comes back a window after it said so, not after the outage began", async () => {
    await passing(4);
    vi.advanceTimersByTime(200_000);
    gone = true;
    expect(await passing(1)).toBe(1);
    vi.advanceTimersByTime(WINDOW - 200_000);
    expect(await passing(10)).toBe(4);
  });

  test("that was counted here is not counted from a later request on", async () => {
    await passing(2);
    gone = true;
    expect(await passing(3)).toBe(3);
    vi.advanceTimersByTime(100_000);
    const { allowed, policies, retryAfterMs } = await ask();
    expect(allowed).toBe(false);
    expect(retryAfterMs).toBeGreaterThan(WINDOW - 100_100);
    expect(policies[0]!.resetAfterMs).toBeLessThanOrEqual(WINDOW - 100_000);
  });

  test("is counted once in a second outage, by Redis or here", async () => {
    await passing(1);
    gone = true;
    expect(await passing(1)).toBe(1);
    gone = false;
    await passing(1);
    gone = true;
    expect(await passing(10)).toBe(2);
  });

  test("of a quota that Redis said is used up is waited for", async () => {
    await passing(5);
    gone = true;
    const { allowed, retryAfterMs } = await ask();
    expect(allowed).toBe(false);
    expect(retryAfterMs).toBeGreaterThan(WINDOW - 100);
  });
});

describe("a reset forgets", () => {
  test("the last answer of Redis", async () => {
    await passing(4);
    vi.advanceTimersByTime(1);
    await limiter.reset("ada");
    gone = true;
    expect(await passing(10)).toBe(5);
  });

  test("an answer of Redis meanwhile", async () => {
    await passing(3);
    const { promise, resolve } = Promise.withResolvers<void>();
    heldReset = promise;
    const resetting = limiter.reset("ada");
    await new Promise((begun) => setTimeout(begun, 0));
    // Redis answers this one before it resets.
    await passing(1);
    vi.advanceTimersByTime(1);
    resolve();
    await resetting;
    gone = true;
    expect(await passing(10)).toBe(5);
  });

  test("an earlier answer of Redis that arrives later", async () => {
    await passing(3);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const asked = ask();
    vi.advanceTimersByTime(1);
    await limiter.reset("ada");
    vi.advanceTimersByTime(1);
    resolve();
    expect((await asked).allowed).toBe(true);
    gone = true;
    expect(await passing(10)).toBe(5);
  });
});
