import { expect, test, vi } from "vitest";

import { StoreError } from "../../src/errors.ts";
import { guardStore } from "../../src/limiter/guarded-store.ts";
import type { Reply, Store } from "../../src/store/store.ts";

/** A store whose answers the test gives, and a guard around it on a clock that the test moves. */
function guarded(answer: () => Reply | Promise<Reply>) {
  const errors: StoreError[] = [];
  let asked = 0;
  const store: Store = {
    decide() {
      asked++;
      return answer();
    },
    reset: () => {},
  };
  const guard = guardStore(store, {
    budget: 100,
    now: () => performance.now(),
    onStoreError: (error) => errors.push(error),
  });
  return {
    errors,
    asked: () => asked,
    ask: () => Promise.resolve(guard.decide("consume", [], 1, [])),
  };
}

const REPLY: Reply = { now: 0, rows: [] };

test("an answer in time is passed on", async () => {
  await expect(guarded(() => REPLY).ask()).resolves.toBe(REPLY);
});

test("an answer that never comes is a failure after the budget, and not before", async () => {
  vi.useFakeTimers();
  try {
    const { ask, errors } = guarded(() => new Promise(() => {}));
    let failure: unknown;
    ask().catch((error: unknown) => (failure = error));
    await vi.advanceTimersByTimeAsync(99);
    expect(failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(failure).toMatchObject({
      code: "ERR_STORE_TIMEOUT",
      message: "Redis did not answer within 100 ms.",
    });
    expect(errors).toEqual([failure]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a late failure of an answer that nobody waits for any more harms nobody", async () => {
  vi.useFakeTimers();
  try {
    let fail!: (error: Error) => void;
    const { ask } = guarded(() => new Promise((_resolve, reject) => (fail = reject)));
    const answer = expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(100);
    await answer;
    fail(new Error("late"));
    await vi.advanceTimersByTimeAsync(1);
  } finally {
    vi.useRealTimers();
  }
});

test("after five failures the store is asked once per second, and a success ends that", async () => {
  vi.useFakeTimers();
  try {
    let answer = (): Reply => {
      throw new StoreError("ERR_STORE_REFUSED", "no");
    };
    const { ask, asked, errors } = guarded(() => answer());
    for (let request = 0; request < 20; request++) await ask().catch(() => {});
    expect(asked()).toBe(5);
    await expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_SUSPENDED" });
    await vi.advanceTimersByTimeAsync(1_000);
    for (let request = 0; request < 20; request++) await ask().catch(() => {});
    expect(asked()).toBe(6);
    answer = () => REPLY;
    await vi.advanceTimersByTimeAsync(1_000);
    for (let request = 0; request < 20; request++) await ask();
    expect(asked()).toBe(26);
    // One outage, one report.
    expect(errors).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

test("whatever the store throws, a StoreError comes out", async () => {
  const { ask } = guarded(() => {
    throw new RangeError("inside");
  });
  await expect(ask()).rejects.toMatchObject({ name: "StoreError", code: "ERR_STORE_UNREACHABLE" });
});
