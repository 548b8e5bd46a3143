import { expect, test } from "vitest";

import { createHolding } from "../../src/features/leases/holding.ts";
import { createLeaseAccess, type LeaseAction } from "../../src/features/leases/lease-access.ts";
import type { LeaseRequest } from "../../src/store/store.ts";

const TERMS = {
  now: () => 0,
  pauseMs: 25,
  enforced: 1,
  noteLeft: () => undefined,
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
      const at = { sentAtMs, untilMs: 1_000 };
      answers.push((leased) => resolve({ ...at, reply: { nowUs: 0, rows: [], leased } } as never));
    });
  const terms = { ...TERMS, now: () => nowMs, request };
  const renew = () =>
    createLeaseAccess(terms, holding, { action: "renew", cost: 1, units: 4 }).renew([], 1);
  const first = renew();
  nowMs = 30;
  const second = renew();
  answers[0]!(4);
  expect(await first).toBe("served");
  expect(holding.pausedUntilMs).toBe(55);
  answers[1]!(4);
  expect(await second).toBe("served");
  expect(holding.pausedUntilMs).toBe(30);
});

/** A request for a lease of eight, to which the store answers this. */
function renewal(reply: object) {
  const holding = createHolding(0);
  const requests: Pick<LeaseRequest, "own" | "spent">[] = [];
  const terms = {
    ...TERMS,
    request(_keys: readonly string[], _units: number, request: (typeof requests)[number]) {
      requests.push(request);
      return Promise.resolve({ reply: { nowUs: 0, ...reply }, sentAtMs: 0, untilMs: 100 } as never);
    },
  };
  const draft = (action: LeaseAction) =>
    createLeaseAccess(terms, holding, { action, cost: 1, units: 8 });
  return { holding, requests, draft };
}

const ROW = { allowed: true, remaining: 5, retryAfterUs: 0, resetAfterUs: 90_000 };

test.each([
  [1, "served", 1],
  [0, "refused", 0],
])(
  "a lease of the request's own units alone, %i, is no reason to deny, and the next one waits for a quarter of a lease",
  async (own, outcome, leased) => {
    const { holding, draft } = renewal({ rows: [ROW], leased, epochs: [7] });
    expect(await draft("renew").renew([], own)).toBe(outcome);
    expect(holding).toMatchObject({ short: false, pausedUntilMs: 25 });
  },
);

test("units are reported once they are spent for good, and those that were the request's own are not", async () => {
  const { requests, draft } = renewal({ rows: [ROW], leased: 5, epochs: [7] });
  const first = draft("renew");
  await first.renew([], 1);
  const [admitted, denied, under] = [draft("spend"), draft("spend"), draft("spend")];
  for (const each of [admitted, denied, under]) expect(each.spend()).toBe(true);
  first.admit();
  admitted.admit();
  denied.putBack();
  await draft("renew").renew([], 1);
  under.admit();
  await draft("renew").renew([], 0);
  await draft("renew").renew([], 0);
  expect(requests).toEqual([
    { own: 1, spent: [] },
    { own: 1, spent: [{ units: 1, epochs: [7] }] },
    { own: 0, spent: [{ units: 1, epochs: [7] }] },
    { own: 0, spent: [] },
  ]);
});
