import { expect, test } from "vitest";

import { createLeases } from "../../src/features/leases/leases.ts";
import type { Reply, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { slidingWindowLog } from "../support/limiter/plain.ts";

const LEASE_US = 100_000;

const rowOf = (remaining: number) => {
  const retryAfterUs = remaining > 0 ? 0 : 5e6;
  return { allowed: remaining > 0, remaining, retryAfterUs, resetAfterUs: 9e6 };
};

const log = slidingWindowLog({ limit: 1_000, window: "10s" });

/** An isolate whose store gives the answers that the test says. */
function isolate(isAuto: boolean) {
  let reply: Reply = { nowUs: 0, rows: [] };
  const store = {
    decide: () => reply,
  } as Pick<Store, "decide"> as Store;
  const policies = compile([log]);
  const options = { leaseUs: LEASE_US, isAuto };
  const leases = createLeases(store, policies, options, () => 0);
  const access = () => leases.access("hot", 1);
  return {
    access,
    demand(requests: number) {
      for (let i = 0; i < requests; i++) access();
    },
    /** A lease of this many units, after which the store has `left`. */
    async renew(leased: number, left: number) {
      reply = { nowUs: 0, rows: [rowOf(left)], leased };
      await access().renew([], 1);
    },
  };
}

test("leased units cover a round trip's demand and its variation, before they are spent", async () => {
  const { access, demand, renew } = isolate(false);
  // With the lease's own, a round trip of 3.5 ms: 3.5 units of 100 per lease, and their root.
  access().answered([rowOf(900)], -4);
  demand(97);
  await renew(8, 900);
  const next = access();
  expect(next.action).toBe("spend");
  expect(next.spend()).toBe(true);
  expect(access().action).toBe("renew");
});

test("an automatic lease that took the last units is no reason to deny", async () => {
  const { access, demand, renew } = isolate(true);
  access().answered([rowOf(400)], 0);
  demand(20);
  await renew(1, 0);
  access().answered([rowOf(400)], 0);
  expect(access().action).toBe("ask");
});
