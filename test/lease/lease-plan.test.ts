import { expect, test } from "vitest";

import { createLeases } from "../../src/features/leases/leases.ts";
import { fixedWindow, type Policy, slidingWindowLog } from "../../src/index.ts";
import type { Reply, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";

const LEASE_US = 100_000;
const WINDOW_MS = 10_000;

const rowOf = (remaining: number) => {
  const retryAfterUs = remaining > 0 ? 0 : 5e6;
  return { allowed: remaining > 0, remaining, retryAfterUs, resetAfterUs: 9e6 };
};

const log = slidingWindowLog({ limit: 1_000, window: "10s" });

/** An isolate whose store gives the answers that the test says. */
function isolate(isAuto: boolean, policy: Policy = log) {
  const clock = { nowMs: 0 };
  const asked: number[] = [];
  let reply: Reply = { nowUs: 0, rows: [] };
  const store = {
    decide(_operation, _keys, [units]) {
      asked.push(units!);
      return reply;
    },
  } as Pick<Store, "decide"> as Store;
  const policies = compile([policy]);
  const options = { leaseUs: LEASE_US, isAuto };
  const leases = createLeases(store, policies, options, () => clock.nowMs);
  const access = () => leases.access("hot", 1);
  return {
    clock,
    asked,
    access,
    demand(requests: number) {
      for (let i = 0; i < requests; i++) access();
    },
    /** A lease of this many units, after which the store has `left`. */
    async renew(leased: number, left: number) {
      reply = { nowUs: 0, rows: [rowOf(left)], leased };
      await access().renew([]);
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

test("for two windows after the limit was reached, a lease takes a tenth of it at most", async () => {
  const { clock, asked, demand, renew } = isolate(false);
  demand(400);
  await renew(1, 0);
  for (const ms of [2 * WINDOW_MS - 1, 3 * WINDOW_MS]) {
    clock.nowMs = ms;
    demand(400);
    await renew(0, 500);
  }
  expect(asked.slice(1)).toEqual([100, 200]);
});

test("units that expired after the limit was reached are owed until the end of a window in which it was not", async () => {
  const { clock, asked, demand, renew } = isolate(
    false,
    fixedWindow({ limit: 1_000, window: "10s" }),
  );
  demand(400);
  await renew(8, 0);
  // The first two are in the same window, of which the store says that it ends in 9 s.
  for (const ms of [200, 1_200, 10_300, 19_400]) {
    clock.nowMs = ms;
    demand(400);
    await renew(0, 500);
  }
  expect(asked).toEqual([200, 1, 1, 1, 100]);
});

test("an automatic lease that took the last units is no reason to deny", async () => {
  const { access, demand, renew } = isolate(true);
  access().answered([rowOf(400)], 0);
  demand(20);
  await renew(1, 0);
  access().answered([rowOf(400)], 0);
  expect(access().action).toBe("ask");
});
