import { expect, test } from "vitest";

import { withSlot, withSlotExtended } from "../../src/algorithms/concurrency.ts";
import { concurrency, memoryStore } from "../../src/index.ts";
import { compile } from "../support/compile-policy.ts";

/* The slots of one key, by their expiry. */

const SECOND_US = 1_000_000;
const slots = withSlot([{ id: "b", expiresUs: 20 * SECOND_US }], "a", 10 * SECOND_US);

test("an extension ends by the policy's ttl or by the hold's, whichever is shorter, and keeps the order", () => {
  const extended = (wantedUs: number, ttlUs: number) =>
    withSlotExtended({ slots }, { id: "a", ttlUs: wantedUs }, 5 * SECOND_US, ttlUs).slots;
  const last = [
    { id: "b", expiresUs: 20 * SECOND_US },
    { id: "a", expiresUs: 35 * SECOND_US },
  ];
  expect(extended(30 * SECOND_US, 90 * SECOND_US)).toEqual(last);
  expect(extended(90 * SECOND_US, 30 * SECOND_US)).toEqual(last);
});

test("a slot is kept until its moment, and no longer", () => {
  const at = (nowUs: number) =>
    withSlotExtended({ slots }, { id: "a", ttlUs: SECOND_US }, nowUs, SECOND_US).slots === slots;
  expect([at(10 * SECOND_US - 1), at(10 * SECOND_US)]).toEqual([false, true]);
});

test("with more slots than a lower limit has, the wait is until one of them is free", () => {
  let nowUs = 1e15;
  const store = memoryStore({ now: () => nowUs });
  const [wide, narrow] = compile([
    concurrency({ name: "wide", limit: 3, ttl: "60s" }),
    concurrency({ name: "narrow", limit: 2, ttl: "60s" }),
  ]);
  for (const id of ["a", "b", "c"]) {
    void store.decide("consume", ["k"], [1], [wide!], { id, ttlUs: 60 * SECOND_US });
    nowUs += SECOND_US;
  }
  // Two of three have to go, and the second expires a minute after it was taken.
  expect(store.decide("peek", ["k"], [1], [narrow!])).toMatchObject({
    rows: [{ allowed: false, remaining: 0, retryAfterUs: 58 * SECOND_US }],
  });
});
