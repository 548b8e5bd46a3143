import { expect, test } from "vitest";

import { createHold, type Reservation } from "../../src/features/holds/create-hold.ts";
import type { SettlementParts } from "../../src/features/holds/settle.ts";
import { createLimiter, type Decision, fixedWindow, memoryStore } from "../../src/index.ts";

test("a denied hold does not touch units that were taken for it and put back, such as leased ones", async () => {
  const reservation = { verdicts: [], slot: { id: "x", ttlUs: 1e6 } } satisfies Reservation;
  const hold = createHold({ allowed: false } as Decision, reservation, {
    now: () => 0,
  } as SettlementParts);
  expect(await hold.settle(9)).toEqual({ status: "settled", returned: {}, charged: {} });
  expect(await hold.extend()).toEqual({ status: "expired" });
});

test("a denied hold gives nothing back of a policy that had room", async () => {
  const store = memoryStore({ now: () => 1_800_000_000_000_000 });
  const policies = [
    fixedWindow({ name: "wide", limit: 10, window: "1h", refundable: true }),
    fixedWindow({ name: "narrow", limit: 1, window: "1h", refundable: true }),
  ];
  const limiter = createLimiter({ store, policies });
  expect((await limiter.limit("ada", { cost: { wide: 6, narrow: 1 } })).allowed).toBe(true);
  const hold = await limiter.reserve("ada", { cost: { wide: 3, narrow: 1 } });
  expect(hold).toMatchObject({ allowed: false, reserved: {} });
  expect(await hold.release()).toEqual({ status: "settled", returned: {}, charged: {} });
  expect((await limiter.peek("ada")).policies.map(({ remaining }) => remaining)).toEqual([4, 0]);
});

test("units without room in a shadow policy are not reserved", async () => {
  const policies = [
    fixedWindow({ name: "own", limit: 9, window: "1h", refundable: true }),
    fixedWindow({ name: "trial", limit: 1, window: "1h", refundable: true, mode: "shadow" }),
  ];
  const limiter = createLimiter({ store: memoryStore(), policies });
  expect((await limiter.reserve("ada")).reserved).toEqual({ own: 1, trial: 1 });
  expect((await limiter.reserve("ada")).reserved).toEqual({ own: 1 });
});
