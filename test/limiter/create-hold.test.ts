import { expect, test } from "vitest";

import { createHold, type Reservation } from "../../src/features/holds/create-hold.ts";
import type { SettlementParts } from "../../src/features/holds/settle-hold.ts";
import { StoreError } from "../../src/options/errors.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import {
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  memoryStore,
} from "../support/limiter/plain.ts";

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

test.each([
  [false, { status: "expired" }],
  [true, { status: "unknown", error: { code: "ERR_STORE_TIMEOUT" } }],
])(
  "of slots in the store, which gives no answer, and in memory, which has them: %o, a hold is told the worse",
  async (isKept, extension) => {
    const policies = [compilePolicy(concurrency({ name: "streams", limit: 2 }))];
    const asked = { group: { policies }, partition: "ada", costs: [1] };
    const rows = [{ allowed: true, remaining: 1, retryAfterUs: 0, resetAfterUs: 0 }];
    const verdicts = ["store", "memory"].map((countedBy) => ({ asked, rows, countedBy }));
    const extend = async ([verdict]: typeof verdicts) => {
      if (verdict!.countedBy === "store") throw new StoreError("ERR_STORE_TIMEOUT", "lost");
      return isKept;
    };
    const hold = createHold(
      { allowed: true } as Decision,
      { verdicts, slot: { id: "x", ttlUs: 1e6 } } as unknown as Reservation,
      { now: () => 0, giveBack: { extend } } as unknown as SettlementParts,
    );
    expect(await hold.extend()).toMatchObject(extension);
  },
);
