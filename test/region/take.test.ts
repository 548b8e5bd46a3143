import fc from "fast-check";
import { expect, test } from "vitest";

import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { RegionOrder, Reply, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();
/** Later than the server's clock, by which keys expire. */
const START = Date.UTC(2099, 0, 1) * 1000;

const policy = fc
  .tuple(fc.nat(ALGORITHMS.length - 1), fc.integer({ min: 1, max: 60 }))
  .map(([index, limit]) => everyPolicy(limit, "1s")[index]!);
const order = fc.record({ most: fc.nat(20), need: fc.nat(6), owed: fc.constantFrom(0, 0, 0, 3) });
const step = fc.record({
  passedUs: fc.nat(400_000),
  asks: fc.array(fc.tuple(fc.nat(5), order), { minLength: 3, maxLength: 3 }),
});

/** What the script promises, by other calls of a store in memory. */
function takeByParts(
  store: Store,
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
  orders: readonly RegionOrder[],
) {
  const ask = (operation: "peek" | "charge", i: number, cost: number) =>
    (store.decide(operation, [keys[i]!], [cost], [policies[i]!]) as Reply).rows[0]!;
  const before = policies.map((_, i) => ask("peek", i, Math.max(1, costs[i]!)));
  const fits = before.map(({ allowed }, i) => costs[i] === 0 || allowed);
  const isAllowed = fits.every(Boolean);
  const taken: number[] = [];
  const againUs: number[] = [];
  const rows = before.map((row, i) => {
    const { most, need, owed } = orders[i]!;
    const charged = owed + (isAllowed ? costs[i]! : 0);
    const left = row.remaining - charged;
    const share = Math.max(need, Math.floor(left / 8));
    taken.push(fits[i] ? Math.max(0, Math.min(most, left, share)) : 0);
    const cost = charged + taken[i]!;
    const after = cost > 0 ? ask("charge", i, cost) : ask("peek", i, 1);
    againUs.push(after.retryAfterUs);
    const retryAfterUs = fits[i] ? after.retryAfterUs : row.retryAfterUs;
    return Object.assign(after, { allowed: row.allowed, retryAfterUs });
  });
  return { rows, taken, againUs };
}

test("a region's call takes all costs or none, what the region owes, and its next units as far as there are any", async () => {
  let now = START;
  const store = storeWithClock(redis, () => now);
  const seen = { allowed: 0, denied: 0, shared: 0, owed: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(policy, { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 20, size: "max" }),
      async (drawn, steps) => {
        const policies = compile(drawn.map((given, i) => ({ ...given, name: `p${i}` })));
        const id = crypto.randomUUID();
        const keys = policies.map(({ name }) => `tg:{${id}}:${name}`);
        const model = openMemoryStore({ now: () => now });
        now = START;
        for (const { passedUs, asks } of steps) {
          now += passedUs;
          const costs = policies.map(({ limit }, i) => Math.min(limit, asks[i]![0]));
          const orders = policies.map((_, i) => asks[i]![1]);
          const expected = takeByParts(model, keys, costs, policies, orders);
          expect(await store.take!(keys, costs, policies, orders)).toEqual({
            nowUs: now,
            ...expected,
          });
          const isDenied = expected.rows.some((row, i) => costs[i]! > 0 && !row.allowed);
          seen[isDenied ? "denied" : "allowed"]++;
          if (expected.taken.some((units, i) => units > orders[i]!.need)) seen.shared++;
          if (isDenied && orders.some(({ owed }) => owed > 0)) seen.owed++;
        }
      },
    ),
    { numRuns: runs(200) },
  );
  // Not for want of trying.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(least(50));
});
