import { expect, test } from "vitest";

import { createHolding } from "../../src/features/leases/holding.ts";
import { replyFromHolding } from "../../src/features/leases/lease-access.ts";

/** After an answer at 0 ms: no unit for half a millisecond, and no lease for 25 ms. */
const SHORT = {
  ...createHolding(0),
  answer: {
    nowUs: 4e15,
    rows: [{ allowed: false, remaining: 0, retryAfterUs: 500, resetAfterUs: 900 }],
  },
  pausedUntilMs: 25,
};

test("a denial tells the wait until the next lease, and the limit is whole no sooner", () => {
  const { nowUs, rows } = replyFromHolding(SHORT, 10, false, []);
  expect(nowUs).toBe(4e15 + 10_000);
  expect(rows).toEqual([
    { allowed: false, remaining: 0, retryAfterUs: 15_000, resetAfterUs: 15_000 },
  ]);
});

test("a denial after every wait is over still tells one", () => {
  expect(replyFromHolding(SHORT, 30, false, []).rows).toEqual([
    { allowed: false, remaining: 0, retryAfterUs: 1, resetAfterUs: 1 },
  ]);
});

test("units that have expired are not told as remaining", () => {
  const holding = { ...SHORT, grants: [{ units: 3, untilMs: 10 }] };
  expect(replyFromHolding(holding, 9, false, []).rows[0]!.remaining).toBe(3);
  expect(replyFromHolding(holding, 10, false, []).rows[0]!.remaining).toBe(0);
});
