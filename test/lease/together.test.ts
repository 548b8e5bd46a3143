import { expect, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  type Store,
} from "../support/limiter/plain.ts";

/*
 * Units in hand belong to all policies of one identity, in their own numbers. A request decided by other policies than these must
 * not be served from them.
 */

/** A limiter over a memory store with a clock of the test, and how often that store was asked for what. */
function limiterOf(options: LimiterOptions) {
  const clock = { nowUs: Date.UTC(2030, 0, 1) * 1000 };
  const calls = { consume: 0, peek: 0, charge: 0, lease: 0 };
  const counts = memoryStore({ now: () => clock.nowUs });
  const store: Store = {
    ...counts,
    decide(operation, ...request) {
      calls[operation]++;
      // Leases without bounds, which would be a few units of such limits.
      const [keys, costs, policies] = request;
      return counts.decide(operation, keys, costs, policies);
    },
  };
  return { limiter: createLimiter({ ...options, store }), clock, calls };
}

const LEASE = "100ms";
const daily = fixedWindow({ name: "daily", limit: 100, window: "1d" });
const shadow = {
  ...fixedWindow({ name: "shadow", limit: 10, window: "1d" }),
  mode: "shadow",
} as const;

test.for([
  { order: "before", policies: [shadow, daily] },
  { order: "after", policies: [daily, shadow] },
])("with a shadow $order a policy, its limit passes, and no unit more", async ({ policies }) => {
  const { limiter, clock, calls } = limiterOf({ policies, lease: LEASE });
  let allowed = 0;
  for (let request = 0; request < 300; request++) {
    clock.nowUs += 1_000;
    allowed += Number((await limiter.limit("ada")).allowed);
  }
  expect(allowed).toBe(100);
  // Seven until the demand is known, and leases from then on.
  expect(calls).toEqual({ consume: 7, peek: 0, charge: 0, lease: 7 });
});

test.for([
  { known: "with", denialCache: { maxEntries: 10 } },
  { known: "without", denialCache: false },
] as const)(
  "a ban counts every denial of a leased policy beside it, $known a denial cache",
  async ({ denialCache }) => {
    const { limiter, clock, calls } = limiterOf({
      denialCache,
      policies: [
        { ...daily, by: "key", lease: LEASE },
        fixedWindow({ name: "ban", by: "ip", limit: 20, window: "1d", counts: "denials" }),
      ],
    });
    const passing = async (requests: number, key: string) => {
      let allowed = 0;
      for (let request = 0; request < requests; request++) {
        clock.nowUs += 1_000;
        allowed += Number((await limiter.limit({ ip: "a", key })).allowed);
      }
      return allowed;
    };
    expect(await passing(119, "k")).toBe(100);
    expect(calls.lease).toBeGreaterThan(0);
    expect(await passing(1, "other")).toBe(1);
    expect(await passing(1, "k")).toBe(0);
    expect(await passing(1, "other")).toBe(0);
  },
);

test("units taken for one key are not spent by another of the same address", async () => {
  const { limiter, clock, calls } = limiterOf({
    lease: LEASE,
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
  expect(calls).toEqual({ consume: 28, peek: 0, charge: 0, lease: 18 });
  // Its keys took: the allowed units, this request, and nine units of a lease that expired when all keys were denied.
  const { policies } = await limiter.limit({ ip: "a" });
  expect(policies.map(({ name, remaining }) => [name, remaining])).toEqual([
    ["address", 10_000 - 80 - 1 - 9],
  ]);
});

test("a plan counts by its own numbers", async () => {
  const { limiter, clock, calls } = limiterOf({
    lease: LEASE,
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
  expect(calls).toEqual({ consume: 14, peek: 0, charge: 0, lease: 12 });
});
