import { expect, test, vi } from "vitest";

import { StoreError } from "../../src/errors/errors.ts";
import { guardStore } from "../../src/store/guarded-store.ts";
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
    timeoutMs: 100,
    now: () => performance.now(),
    onStoreError: (error) => errors.push(error),
  });
  return {
    errors,
    asked: () => asked,
    ask: () => Promise.resolve(guard.decide("consume", ["tg:{user}:p"], [1], [])),
  };
}

const REPLY: Reply = { nowUs: 0, rows: [] };

test("an answer in time is passed on", async () => {
  await expect(guarded(() => REPLY).ask()).resolves.toBe(REPLY);
});

test("an answer that never comes is a failure after the timeout, and not before", async () => {
  vi.useFakeTimers();
  try {
    let answer = (): Reply | Promise<Reply> => REPLY;
    const { ask, errors } = guarded(() => answer());
    await ask();
    answer = () => new Promise(() => {});
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
    await vi.advanceTimersByTimeAsync(400);
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

test("without a listener the log says when the outage began, and when it was over and how long it took", async () => {
  vi.useFakeTimers();
  const log = vi.spyOn(console, "warn").mockReturnValue();
  try {
    let answer = (): Reply => {
      throw new StoreError("ERR_STORE_REFUSED", "no");
    };
    const guard = guardStore(
      { decide: () => answer(), reset: () => {} },
      { timeoutMs: 100, now: () => performance.now() },
    );
    const ask = () => Promise.resolve(guard.decide("consume", ["tg:{user}:p"], [1], []));
    // An isolate that has run for a minute.
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(ask()).rejects.toThrow("no");
    for (let second = 0; second < 12; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      await ask().catch(() => {});
    }
    expect(log.mock.calls).toEqual([
      ["tidegate: ERR_STORE_REFUSED: no Until it answers again, each policy's onFailure decides."],
    ]);
    answer = () => REPLY;
    await vi.advanceTimersByTimeAsync(1_000);
    for (let request = 0; request < 3; request++) await ask();
    expect(log.mock.calls.slice(1)).toEqual([
      ["tidegate: Redis answers again after 12 s; decisions are exact again."],
    ]);
    answer = () => {
      throw new StoreError("ERR_STORE_REFUSED", "no");
    };
    await expect(ask()).rejects.toThrow("no");
    answer = () => REPLY;
    await ask();
    expect(log.mock.lastCall).toEqual([
      "tidegate: Redis answers again after 1 s; decisions are exact again.",
    ]);
  } finally {
    log.mockRestore();
    vi.useRealTimers();
  }
});

test("a listener has the word alone: nothing is written to the log", async () => {
  const log = vi.spyOn(console, "warn").mockReturnValue();
  let fails = true;
  const { ask, errors } = guarded(() => {
    if (fails) throw new StoreError("ERR_STORE_REFUSED", "no");
    return REPLY;
  });
  await expect(ask()).rejects.toThrow("no");
  fails = false;
  await ask();
  expect(errors).toHaveLength(1);
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});

test("what was sent before the last answer and comes late does not suspend the store", async () => {
  vi.useFakeTimers();
  try {
    const answering = "tg:{answering}:p";
    const store: Store = {
      decide: (_operation, [key]) => (key === answering ? REPLY : new Promise(() => {})),
      reset: () => {},
    };
    const guard = guardStore(store, {
      timeoutMs: 1_000,
      now: () => performance.now(),
      onStoreError: () => {},
    });
    const ask = async (key: string) => guard.decide("consume", [key], [1], []);
    // In different groups of slots.
    const late = ["a", "b", "c", "d", "e"].map((user) => ask(`tg:{${user}}:p`).catch(() => {}));
    await vi.advanceTimersByTimeAsync(100);
    await ask(answering);
    await vi.advanceTimersByTimeAsync(900);
    await Promise.all(late);
    expect(guard.state()).toEqual({ breaker: "closed", suspendedSlots: 0 });
    await expect(ask(answering)).resolves.toBe(REPLY);
  } finally {
    vi.useRealTimers();
  }
});

test("a reset is asked no more often than a decision while the store fails", async () => {
  let asked = 0;
  const store: Store = {
    decide: () => REPLY,
    reset() {
      asked++;
      throw new StoreError("ERR_STORE_REFUSED", "no");
    },
  };
  const guard = guardStore(store, { timeoutMs: 100, now: () => 0, onStoreError: () => {} });
  const codes: string[] = [];
  for (let i = 0; i < 7; i++) {
    await guard.reset(["tg:{user}:p"])?.catch(({ code }: StoreError) => codes.push(code));
  }
  expect(asked).toBe(5);
  expect(codes.slice(4)).toEqual(["ERR_STORE_REFUSED", ...Array(2).fill("ERR_STORE_SUSPENDED")]);
});
