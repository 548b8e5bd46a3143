import { expect, test } from "vitest";

import { createHold, type Reservation } from "../../src/features/holds/create-hold.ts";
import type { Settler } from "../../src/features/holds/settle.ts";
import type { Decision } from "../../src/index.ts";

test("a denied hold leaves alone what was taken for it and put back, such as leased units", async () => {
  const reservation = { taken: [], slot: { id: "x", ttlUs: 1e6 } } satisfies Reservation;
  const hold = createHold({ allowed: false } as Decision, reservation, { now: () => 0 } as Settler);
  expect(await hold.settle(9)).toEqual({ status: "settled", returned: {}, charged: {} });
  expect(await hold.extend()).toEqual({ status: "expired" });
});
