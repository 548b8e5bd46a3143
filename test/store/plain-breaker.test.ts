import { expect, test } from "vitest";

import { createPlainBreaker } from "../../src/store/breaker.ts";

test("five failures in a row suspend the whole store, for all keys, for a second each time", () => {
  const breaker = createPlainBreaker();
  const begun = ["a", "b", "c", "d"].map((key) => breaker.failed(key, 0, 0));
  // The first begins an outage.
  expect(begun).toEqual([true, false, false, false]);
  expect(breaker.admits("other", 0)).toBe(true);
  breaker.failed("e", 0, 0);
  expect(breaker.admits("other", 999)).toBe(false);
  expect(breaker.state(999)).toEqual({ breaker: "open", suspendedSlots: 16_384 });
  expect(breaker.state(1_000)).toEqual({ breaker: "half-open", suspendedSlots: 16_384 });
  expect(breaker.admits("other", 1_000)).toBe(true);
  // One probe at a time.
  expect(breaker.admits("other", 1_000)).toBe(false);
});

test("one answer ends an outage, and only the first of them says so", () => {
  const breaker = createPlainBreaker();
  expect(breaker.succeeded("a", 0)).toBe(false);
  for (let failure = 0; failure < 9; failure++) breaker.failed("a", 0, 0);
  expect(breaker.succeeded("b", 1)).toBe(true);
  expect(breaker.succeeded("b", 1)).toBe(false);
  expect(breaker.state(1)).toEqual({ breaker: "closed", suspendedSlots: 0 });
  expect(breaker.admits("a", 1)).toBe(true);
});

test("failures of requests that were sent before the last answer do not count, unless the clock stepped back", () => {
  const breaker = createPlainBreaker();
  breaker.succeeded("a", 100);
  // The last of them in the millisecond of the answer.
  for (let failure = 0; failure < 9; failure++) expect(breaker.failed("a", 99, 100)).toBe(false);
  for (let failure = 0; failure < 9; failure++) expect(breaker.failed("a", 99, 350)).toBe(false);
  expect(breaker.state(350).breaker).toBe("closed");
  // One that was sent in that millisecond may have been sent after it.
  expect(breaker.failed("a", 100, 350)).toBe(true);
  breaker.succeeded("a", 350);
  for (let failure = 0; failure < 5; failure++) breaker.failed("a", 10, 20);
  expect(breaker.state(20).breaker).toBe("open");
});
