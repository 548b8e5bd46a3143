import { expect, test } from "vitest";

import { createLimiter, fixedWindow, type LimiterOptions, memoryStore } from "../../src/index.ts";

/*
 * Units in hand belong to all policies of one identity, in their own numbers. What is decided by other policies than
 * that must not be served from them.
 */

/** A limiter with leases over a memory store with a clock of the test. */
function leased(options: Pick<LimiterOptions, "policies" | "plans">) {
  const clock = { nowUs: Date.UTC(2030, 0, 1) * 1000 };
  const store = memoryStore({ now: () => clock.nowUs });
  return { limiter: createLimiter({ ...options, store, lease: "100ms" }), clock };
}

const daily = fixedWindow({ name: "daily", limit: 100, window: "1d" });
const shadow = {
  ...fixedWindow({ name: "shadow", limit: 10, window: "1d" }),
  mode: "shadow",
} as const;

test.for([
  { order: "before", policies: [shadow, daily] },
  { order: "after", policies: [daily, shadow] },
])("with a shadow $order a policy, its limit passes, and no unit more", async ({ policies }) => {
  const { limiter, clock } = leased({ policies });
  let allowed = 0;
  for (let request = 0; request < 300; request++) {
    clock.nowUs += 1_000;
    allowed += Number((await limiter.limit("ada")).allowed);
  }
  expect(allowed).toBe(100);
});

test("a policy that counts denials cannot be leased with the others", () => {
  const ban = fixedWindow({ name: "ban", limit: 500, window: "1d", counts: "denials" });
  expect(() => leased({ policies: [ban, daily] })).toThrow("policies[0].counts");
});

test("units taken for one key are not spent by another of the same address", async () => {
  const { limiter, clock } = leased({
    policies: [
      fixedWindow({ name: "address", by: "ip", limit: 10_000, window: "1d" }),
      fixedWindow({ name: "key", by: "key", limit: 20, window: "1d" }),
    ],
  });
  const allowed = new Map<string, number>();
  for (let request = 0; request < 400; request++) {
    clock.nowUs += 1_000;
    const key = `k${request % 4}`;
    const passed = Number((await limiter.limit({ ip: "a", key })).allowed);
    allowed.set(key, (allowed.get(key) ?? 0) + passed);
  }
  expect([...allowed.values()]).toEqual([20, 20, 20, 20]);
  // The address gave what its keys were allowed, and units that expired before they were spent.
  const [address] = (await limiter.limit({ ip: "a" })).policies;
  expect(address!.remaining).toBeLessThanOrEqual(9_919);
  expect(address!.remaining).toBeGreaterThan(9_500);
});

test("a plan counts by its own numbers", async () => {
  const { limiter, clock } = leased({
    policies: [daily],
    plans: { gold: { daily: { limit: 150 } } },
  });
  let [allowed, golden] = [0, 0];
  for (let request = 0; request < 300; request++) {
    clock.nowUs += 1_000;
    allowed += Number((await limiter.limit("ada")).allowed);
  }
  for (let request = 0; request < 300; request++) {
    clock.nowUs += 1_000;
    golden += Number((await limiter.limit("ada", { plan: "gold" })).allowed);
  }
  expect([allowed, golden]).toEqual([100, 50]);
});
