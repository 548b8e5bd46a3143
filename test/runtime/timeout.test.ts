import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { TIMED_OUT, withTimeout } from "../../src/runtime/time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = <Value>(milliseconds: number, value: Value) =>
  new Promise<Value>((resolve) => setTimeout(resolve, milliseconds, value));

test.for<[string, () => unknown]>([
  ["an answer at once", () => 1],
  ["an answer later", async () => 1],
  ["a failure at once", () => JSON.parse("")],
  ["a failure later", async () => JSON.parse("")],
])("%s leaves no timer behind", async ([, ask]) => {
  const asked = vi.fn(ask);
  await withTimeout(1_000, asked).catch(() => {});
  expect(asked).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("an answer a millisecond before the end is one, and at the end it is late", async () => {
  const [early, late] = [
    withTimeout(10, () => after(9, "answer")),
    withTimeout(10, () => after(10, "answer")),
  ];
  await vi.advanceTimersByTimeAsync(10);
  expect(await early).toBe("answer");
  expect(await late).toBe(TIMED_OUT);
  expect(vi.getTimerCount()).toBe(0);
});

test("a failure goes on to the one who asked", async () => {
  const failure = new Error("gone");
  await expect(withTimeout(10, () => Promise.reject(failure))).rejects.toBe(failure);
});
