import { describe, expect, test } from "vitest";

import { fullestWindow, heldAt, overAdmitted, type Passed } from "../../bench/surge/proof.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

/** Two at once, and one more every 100 ms. */
const BUCKET = { limit: 2, refillPerMs: 1 / 100 };

const at = (...times: readonly number[]): Passed[] =>
  times.map((ms) => ({ earliestMs: ms, latestMs: ms }));

test("a burst of the limit and then the rate is within the bucket, and one more is one", () => {
  expect(overAdmitted(at(0, 0, 100, 200, 300), BUCKET)).toBe(0);
  expect(overAdmitted(at(0, 0, 50, 100), BUCKET)).toBe(1);
});

describe("within bounds", () => {
  const burst = at(0, 0);

  test("a request that may have passed after the next token proves nothing", () => {
    expect(overAdmitted([...burst, { earliestMs: 0, latestMs: 100 }], BUCKET)).toBe(0);
  });

  test("a request that must have passed before the next token is too much", () => {
    expect(overAdmitted([...burst, { earliestMs: 0, latestMs: 99 }], BUCKET)).toBe(1);
  });

  test("two that may have waited for one token are one too many", () => {
    const waiting = { earliestMs: 0, latestMs: 150 };
    expect(overAdmitted([...burst, waiting, waiting], BUCKET)).toBe(1);
  });

  test("a request that can wait leaves the token to one that cannot, even one that is yet to come", () => {
    const patient = { earliestMs: 10, latestMs: 220 };
    expect(overAdmitted([...burst, patient, ...at(100)], BUCKET)).toBe(0);
    expect(overAdmitted([...burst, patient, ...at(110)], BUCKET)).toBe(0);
  });
});

describe("compared with trying every order", () => {
  const next = random(1);
  const whole = (below: number) => Math.floor(next() * below);

  function draw(longestMs: number) {
    const [limit, tokenMs] = [1 + whole(3), 1 + whole(30)];
    const passed = Array.from({ length: whole(7) }, () => {
      const earliestMs = whole(60);
      return { earliestMs, latestMs: earliestMs + whole(2) * whole(longestMs) };
    });
    const found = overAdmitted(passed, { limit, refillPerMs: 1 / tokenMs });
    const story = { limit, tokenMs, passed };
    return { story, found, beyond: passed.length - mostPossible(passed, limit, tokenMs) };
  }

  test("it finds some at known moments exactly where no order admits all", () => {
    for (let run = 0; run < runs(2_000); run++) {
      const { story, found, beyond } = draw(1);
      expect({ story, some: found > 0 }).toEqual({ story, some: beyond > 0 });
    }
  });

  test("it never finds too many, and seldom none where there are some", () => {
    let [guilty, missed] = [0, 0];
    for (let run = 0; run < runs(2_000); run++) {
      const { story, found, beyond } = draw(40);
      expect({ story, innocent: found <= beyond }).toEqual({ story, innocent: true });
      guilty += Number(beyond > 0);
      missed += Number(beyond > 0 && found === 0);
    }
    expect(missed / guilty).toBeLessThan(0.15);
  });
});

/** The most of these requests that some order admits, in whole numbers: `tokenMs` parts are a token. */
function mostPossible(passed: readonly Passed[], limit: number, tokenMs: number): number {
  const full = limit * tokenMs;

  function most(left: readonly Passed[], parts: number, nowMs: number): number {
    let best = 0;
    left.forEach((each, i) => {
      const comesMs = Math.max(nowMs, each.earliestMs);
      const then = Math.min(full, parts + (comesMs - nowMs));
      const waitMs = Math.max(0, tokenMs - then);
      if (comesMs + waitMs > each.latestMs) return;
      const others = left.toSpliced(i, 1);
      best = Math.max(best, 1 + most(others, then + waitMs - tokenMs, comesMs + waitMs));
    });
    return best;
  }

  return most(passed, full, 0);
}

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
