import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { StoreError } from "../../src/options/errors.ts";
import type { StoreBreaker } from "../../src/store/breaker.ts";
import { createSlotBreaker } from "../../src/store/cluster/slot-breaker.ts";
import {
  DEFAULT_TIMEOUT_MS,
  type GuardedStore,
  guardStore,
} from "../../src/store/guarded-store.ts";
import type { Reply, Store } from "../../src/store/store.ts";
import { scriptedStore } from "../support/limiter/scripted-store.ts";

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  vi.useFakeTimers();
  warn = vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const REPLY: Reply = { nowUs: 0, rows: [] };
const refuse = (): never => {
  throw new StoreError("ERR_STORE_REFUSED", "no");
};

/** A guard on the clock of the fake timers, over a store that answers as the test says. */
function guarded(
  answer: () => Reply | Promise<Reply>,
  listener?: (error: StoreError) => void,
  breaker?: StoreBreaker,
) {
  const at = { answer };
  const { store, asked } = scriptedStore(() => at.answer());
  const now = () => performance.now();
  const guard = guardStore(store, { timeoutMs: 100, now, onStoreError: listener }, breaker);
  const ask = async () => guard.decide("consume", ["tg:{user}:p"], [1], []);
  return { at, asked, guard, ask };
}

test("a guard waits for 250 ms by default", () => {
  expect(DEFAULT_TIMEOUT_MS).toBe(250);
});

test("each question is passed on to the store once, and its answer to who asked", async () => {
  const { asked, guard } = guarded(() => REPLY);
  expect(await guard.decide("charge", ["a", "b"], [7, 7], [])).toBe(REPLY);
  expect(asked).toEqual([{ operation: "charge", keys: ["a", "b"], costs: [7, 7] }]);
});

test("an answer that never comes is a failure after the timeout, and not before; a late one does no harm", async () => {
  const errors: StoreError[] = [];
  const { at, ask } = guarded(
    () => REPLY,
    (error) => errors.push(error),
  );
  await ask();
  let fail!: (error: Error) => void;
  at.answer = () => new Promise((_resolve, reject) => (fail = reject));
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
  fail(new Error("late"));
  await vi.advanceTimersByTimeAsync(1);
});

test("after five failures the store is asked once per second, and a success ends that", async () => {
  const errors: StoreError[] = [];
  const { at, ask, asked, guard } = guarded(refuse, (error) => errors.push(error));
  for (let request = 0; request < 20; request++) await ask().catch(() => {});
  expect(asked).toHaveLength(5);
  await expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_SUSPENDED" });
  await vi.advanceTimersByTimeAsync(1_000);
  for (let request = 0; request < 20; request++) await ask().catch(() => {});
  expect(asked).toHaveLength(6);
  at.answer = () => REPLY;
  await vi.advanceTimersByTimeAsync(1_000);
  for (let request = 0; request < 20; request++) await ask();
  expect(asked).toHaveLength(26);
  // One outage, one report, and none in the log.
  expect(errors).toHaveLength(1);
  at.answer = refuse;
  for (let request = 0; request < 3; request++) await ask().catch(() => {});
  expect(errors.map(({ code }) => code)).toEqual(["ERR_STORE_REFUSED", "ERR_STORE_REFUSED"]);
  expect(warn).not.toHaveBeenCalled();
  await guard.reset(["k"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("every error of the store comes out as a StoreError", async () => {
  const { ask } = guarded(() => {
    throw new RangeError("inside");
  });
  await expect(ask()).rejects.toMatchObject({ name: "StoreError", code: "ERR_STORE_UNREACHABLE" });
});

test("without a listener the log says when the outage began, and when it was over and how long it took", async () => {
  const { at, ask } = guarded(refuse);
  // An isolate that has run for a minute.
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(ask()).rejects.toThrow("no");
  for (let second = 0; second < 12; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    await ask().catch(() => {});
  }
  expect(warn.mock.calls).toEqual([
    ["tidegate: ERR_STORE_REFUSED: no Until it answers again, each policy's onFailure decides."],
  ]);
  at.answer = () => REPLY;
  await vi.advanceTimersByTimeAsync(1_000);
  for (let request = 0; request < 3; request++) await ask();
  expect(warn.mock.calls.slice(1)).toEqual([
    ["tidegate: Redis answers again after 13 s; decisions are exact again."],
  ]);
  for (const [ms, seconds] of [
    [0, 1],
    [1_200, 2],
  ] as const) {
    at.answer = refuse;
    await expect(ask()).rejects.toThrow("no");
    await vi.advanceTimersByTimeAsync(ms);
    await expect(ask()).rejects.toThrow("no");
    at.answer = () => REPLY;
    await ask();
    // Rounded up: an outage is never reported as shorter than it was.
    expect(warn.mock.lastCall).toEqual([
      `tidegate: Redis answers again after ${seconds} s; decisions are exact again.`,
    ]);
  }
});

test("the log says how long the store gave no answer, also where a part of it is asked again later", async () => {
  const { at, guard } = guarded(refuse, undefined, createSlotBreaker());
  const ask = async (user: string) => guard.decide("consume", [`tg:{${user}}:p`], [1], []);
  for (let request = 0; request < 5; request++) await ask("ada").catch(() => {});
  await ask("bob").catch(() => {});
  at.answer = () => REPLY;
  await vi.advanceTimersByTimeAsync(4_000);
  await ask("bob");
  expect(warn).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(4_000);
  await ask("ada");
  expect(warn.mock.calls.slice(1)).toEqual([
    ["tidegate: Redis answers again after 4 s; decisions are exact again."],
  ]);
});

test.for<[string, listener: () => void | Promise<void>]>([
  [
    "throws",
    () => {
      throw new Error("no disk");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no disk"))],
])("a listener that %s is in the log, and the failure goes on as it was", async ([, listener]) => {
  vi.useRealTimers();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  await expect(guarded(refuse, listener).ask()).rejects.toMatchObject({
    code: "ERR_STORE_REFUSED",
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
  expect(warn.mock.calls).toEqual([["tidegate: onStoreError failed: Error: no disk"]]);
});

const KEYS = ["tg:{user}:p"];
const SLOT = { id: "hold", ttlUs: 1e6 };

test.for<[string, ask: (guard: GuardedStore) => unknown]>([
  ["reset", (guard) => guard.reset(KEYS)],
  ["refund", (guard) => guard.refund!(KEYS, [1], [], REPLY)],
  ["extension", (guard) => guard.extend!(KEYS, [], SLOT)],
])("a %s waits no longer and is asked no more often than a decision", async ([, ask]) => {
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
