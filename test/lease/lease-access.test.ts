import { expect, test } from "vitest";

import { createHolding } from "../../src/features/leases/holding.ts";
import { createLeaseAccess } from "../../src/features/leases/lease-access.ts";

const TERMS = {
  now: () => 0,
  pauseMs: 25,
  enforced: 1,
  noteRoom: () => false,
  request: () => Promise.reject(new Error("not asked")),
  noteRoundTrip: () => undefined,
};

test("leased units are room for a policy that is enforced, not for one that only advises", () => {
  const holding = { ...createHolding(0), grants: [{ units: 3, untilMs: 100 }] };
  const access = createLeaseAccess(TERMS, holding, { action: "ask", cost: 1, units: 1 });
  const full = { allowed: false, remaining: 0, retryAfterUs: 500, resetAfterUs: 900 };
  expect(access.answered([full, full], 0)).toEqual([
    { ...full, allowed: true, retryAfterUs: 0 },
    full,
  ]);
});

const FULL = { allowed: false, remaining: 0, retryAfterUs: 50_000, resetAfterUs: 90_000 };

test("a wait for one unit is no longer than until the next lease may be requested", () => {
  const holding = { ...createHolding(0), pausedUntilMs: 20 };
  const access = createLeaseAccess(TERMS, holding, { action: "ask", cost: 1, units: 1 });
  expect(access.answered([FULL], 0)).toEqual([{ ...FULL, retryAfterUs: 20_000 }]);
});

test("a wait for several units is the store's", () => {
  const holding = { ...createHolding(0), grants: [{ units: 1, untilMs: 100 }], pausedUntilMs: 20 };
  const access = createLeaseAccess(TERMS, holding, { action: "ask", cost: 2, units: 1 });
  expect(access.answered([FULL], 0)).toEqual([FULL]);
});

test("units go back once", () => {
  const holding = { ...createHolding(0), grants: [{ units: 3, untilMs: 100 }] };
  const access = createLeaseAccess(TERMS, holding, { action: "spend", cost: 2, units: 1 });
  expect(access.spend()).toBe(true);
  for (let i = 0; i < 2; i++) access.putBack();
  expect(holding.grants).toEqual([{ units: 3, untilMs: 100 }]);
});

test("a lease that leaves room ends its own pause, and not that of one that was requested after it", async () => {
  const holding = createHolding(0);
  let nowMs = 0;
  const answers: ((leased: number) => void)[] = [];
  const request = () =>
    new Promise<never>((resolve) => {
      const sentAtMs = nowMs;
      const at = { sentAtMs, untilMs: 1_000, windowEndsMs: Infinity };
      answers.push((leased) => resolve({ ...at, reply: { nowUs: 0, rows: [], leased } } as never));
    });
  const terms = { ...TERMS, now: () => nowMs, request };
  const renew = () =>
    createLeaseAccess(terms, holding, { action: "renew", cost: 1, units: 4 }).renew([]);
  const first = renew();
  nowMs = 30;
  const second = renew();
  answers[0]!(4);
  expect(await first).toBe(true);
  expect(holding.pausedUntilMs).toBe(55);
  answers[1]!(4);
  expect(await second).toBe(true);
  expect(holding.pausedUntilMs).toBe(30);
});
