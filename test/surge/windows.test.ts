import { expect, test } from "vitest";

import { fullestWindow, heldAt } from "../../bench/surge/scenes/windows.ts";

const at = (...times: readonly number[]) => times.map((ms) => ({ earliestMs: ms, latestMs: ms }));

test("the fullest window is found wherever it begins, and is open at its old end", () => {
  expect(fullestWindow([], 100)).toBe(0);
  expect(fullestWindow(at(0, 90, 95, 180, 189, 300), 100)).toBe(4);
  expect(fullestWindow(at(0, 100), 100)).toBe(1);
  expect(fullestWindow(at(0, 99), 100)).toBe(2);
});

test("a request counts only where it passed within the window for certain", () => {
  const late = { earliestMs: 90, latestMs: 101 };
  expect(fullestWindow([...at(0, 10), late], 100)).toBe(2);
  expect(fullestWindow([...at(2, 10), late], 100)).toBe(3);
  expect(fullestWindow([{ earliestMs: 0, latestMs: 200 }], 100)).toBe(0);
});

test("a window that ends at a moment holds the requests until then", () => {
  const passed = [...at(0, 50, 100), { earliestMs: 60, latestMs: 120 }];
  expect([99, 100, 120, 151].map((endMs) => heldAt(passed, endMs, 100))).toEqual([2, 2, 3, 2]);
});
