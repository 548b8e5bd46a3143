import { expect, test } from "vitest";

import { createBreaker } from "../../src/store/breaker.ts";

function failing(times: number, at = 0) {
  const breaker = createBreaker();
  for (let failure = 0; failure < times; failure++) breaker.failed(at);
  return breaker;
}

test("it stays closed until the fifth failure in a row", () => {
  expect(failing(4).admits(0)).toBe(true);
  expect(failing(5).admits(0)).toBe(false);
});

test("a success in between starts the count anew", () => {
  const breaker = failing(4);
  breaker.succeeded();
  for (let failure = 0; failure < 4; failure++) breaker.failed(0);
  expect(breaker.admits(0)).toBe(true);
});

test("it lets one probe through per second", () => {
  const breaker = failing(5, 100);
  expect(breaker.admits(1_099)).toBe(false);
  expect(breaker.admits(1_100)).toBe(true);
  expect(breaker.admits(1_100)).toBe(false);
  // The probe never came back: a request that is cut off must not keep the breaker open for good.
  expect(breaker.admits(2_099)).toBe(false);
  expect(breaker.admits(2_100)).toBe(true);
});

test("a failed probe keeps it open for another second, a good one closes it", () => {
  const breaker = failing(5);
  expect(breaker.admits(1_000)).toBe(true);
  breaker.failed(1_250);
  expect(breaker.admits(2_249)).toBe(false);
  expect(breaker.admits(2_250)).toBe(true);
  breaker.succeeded();
  expect(breaker.admits(2_250)).toBe(true);
  expect(breaker.admits(2_250)).toBe(true);
});

test("only the first failure after a success is news", () => {
  const breaker = createBreaker();
  expect([breaker.failed(0), breaker.failed(0)]).toEqual([true, false]);
  breaker.succeeded();
  expect(breaker.failed(0)).toBe(true);
});
