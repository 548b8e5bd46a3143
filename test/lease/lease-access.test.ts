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

test("units held are room for a policy that is enforced, not for one that only advises", () => {
  const holding = { ...createHolding(0), grants: [{ units: 3, untilMs: 100 }] };
  const access = createLeaseAccess(TERMS, holding, { action: "ask", cost: 1, units: 1 });
  const full = { allowed: false, remaining: 0, retryAfterUs: 500, resetAfterUs: 900 };
  expect(access.answered([full, full], 0)).toEqual([
    { ...full, allowed: true, retryAfterUs: 0 },
    full,
  ]);
});
