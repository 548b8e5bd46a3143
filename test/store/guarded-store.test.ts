import { expect, test, vi } from "vitest";

import { StoreError } from "../../src/errors/errors.ts";
import { type GuardedStore, guardStore } from "../../src/store/guarded-store.ts";
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

test("a late failure of an answer that is no longer awaited does no harm", async () => {
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

test("every error of the store comes out as a StoreError", async () => {
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
    for (const [ms, seconds] of [
      [0, 1],
      [1_200, 2],
    ] as const) {
      answer = () => {
        throw new StoreError("ERR_STORE_REFUSED", "no");
      };
      await expect(ask()).rejects.toThrow("no");
      await vi.advanceTimersByTimeAsync(ms);
      await expect(ask()).rejects.toThrow("no");
      answer = () => REPLY;
      await ask();
      // Rounded up: an outage is never reported as shorter than it was.
      expect(log.mock.lastCall).toEqual([
        `tidegate: Redis answers again after ${seconds} s; decisions are exact again.`,
      ]);
    }
  } finally {
    log.mockRestore();
    vi.useRealTimers();
  }
});

test("a listener gets the only report: the log stays empty", async () => {
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

test("a call sent before the last answer that comes late does not suspend the store", async () => {
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

const KEYS = ["tg:{user}:p"];
const SLOT = { id: "hold", ttlUs: 1e6 };

test.for<[string, ask: (guard: GuardedStore) => unknown]>([
  ["reset", (guard) => guard.reset(KEYS)],
  ["refund", (guard) => guard.refund!(KEYS, [1], [], REPLY)],
  ["extension", (guard) => guard.extend!(KEYS, [], SLOT)],
])("a %s waits no longer and is asked no more often than a decision", async ([, ask]) => {
  vi.useFakeTimers();
  try {
    let answer = (): Promise<never> => new Promise(() => {});
    const store: Store = {
      decide: () => REPLY,
      reset: () => answer(),
      refund: () => answer(),
      extend: () => answer(),
    };
    const guard = guardStore(store, { timeoutMs: 100, now: () => 0, onStoreError: () => {} });
    await guard.decide("consume", KEYS, [1], []);
    const late = expect(ask(guard)).rejects.toMatchObject({ code: "ERR_STORE_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(100);
    await late;
    let asked = 0;
    answer = async () => {
      asked++;
      throw new StoreError("ERR_STORE_REFUSED", "no");
    };
    const failures: StoreError[] = [];
    for (let i = 0; i < 7; i++) {
      await Promise.resolve(ask(guard)).catch((error: StoreError) => failures.push(error));
    }
    expect(asked).toBe(4);
    expect(failures.map(({ code }) => code).slice(3)).toEqual([
      "ERR_STORE_REFUSED",
      ...Array<string>(3).fill("ERR_STORE_SUSPENDED"),
    ]);
    // Made once: a stack trace costs more than a decision.
    expect(failures[6]).toBe(failures[5]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a guard gives back and extends only where its store can", () => {
  const options = { timeoutMs: 100, now: () => 0 };
  const store: Store = { decide: () => REPLY, reset: () => {} };
  expect(Object.keys(guardStore(store, options))).toEqual(["decide", "reset", "state"]);
  const refund = () => [];
  expect(Object.keys(guardStore({ ...store, refund }, options))).not.toContain("extend");
  const extend = () => [];
  expect(Object.keys(guardStore({ ...store, extend }, options))).not.toContain("refund");
});
