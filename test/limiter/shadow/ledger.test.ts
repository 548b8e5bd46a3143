import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { fixedWindow, type LimiterOptions } from "../../support/limiter/plain.ts";
import { runs } from "../../support/runs.ts";
import { afterwards, sideOf, type Step, take } from "./pair.ts";

beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

const many = { name: "user", by: "user", limit: 2_000, window: "1h" } as const;
const shadow = fixedWindow({ name: "shadow", by: "org", limit: 40, window: "1h", mode: "shadow" });

const LIMITERS: Readonly<Record<string, Omit<LimiterOptions, "store" | "redis">>> = {
  "a lease": { policies: [fixedWindow(many), shadow], lease: "1s" },
  optimistic: {
    policies: [fixedWindow({ ...many, optimistic: { unsettled: 5, above: 0.1 } }), shadow],
  },
  "optimistic with leases": {
    policies: [fixedWindow({ ...many, optimistic: { unsettled: 5, above: 0.1 } }), shadow],
    lease: "auto",
  },
};

const request: Step = { operation: "limit", waitMs: 2, user: 0, org: 0, cost: 1, plan: false };
const schedule = fc.array(fc.constantFrom(0, 1, 2, 5, 20), { minLength: 10, maxLength: 120 });

/** The units that the store has counted. */
async function countedBy({ limiter }: ReturnType<typeof sideOf>): Promise<number> {
  const { shadow: rows } = await limiter.peek({ org: "org-0" });
  return 40 - rows[0]!.remaining;
}

describe.each(Object.entries(LIMITERS))("with %s, a shadow counts", (_, options) => {
  test("what was admitted, and never more", async () => {
    const property = fc.asyncProperty(schedule, fc.boolean(), async (waits, atOnce) => {
      const side = sideOf(options);
      let admitted = 0;
      for (const waitMs of waits) {
        side.world.nowUs += waitMs * 1000;
        const decision = await side.limiter.limit({ user: "user-0", org: "org-0" });
        const before = admitted;
        admitted += Number(decision.allowed);
        // The isolate is alone, so that its estimates are exact.
        expect(decision.shadow).toMatchObject([
          { allowed: before < 40, remaining: Math.max(0, 40 - admitted) },
        ]);
        if (!atOnce) await afterwards();
      }
      await afterwards();
      expect(await countedBy(side)).toBeLessThanOrEqual(Math.min(admitted, 40));
      // A request that asks takes along what is owed.
      await side.limiter.limit({ user: "user-1", org: "org-0" });
      await afterwards();
      side.world.nowUs += 2_000_000;
      await side.limiter.limit({ user: "user-1", org: "org-0" });
      await afterwards();
      const counted = await countedBy(side);
      expect(counted).toBeGreaterThanOrEqual(Math.min(admitted, 40));
      expect(counted).toBeLessThanOrEqual(Math.min(admitted + 2, 40));
    });
    await fc.assert(property, { numRuns: runs(40) });
  });
});

test("a reset forgets what is owed, and what the store had answered", async () => {
  const side = sideOf(LIMITERS["optimistic"]!);
  for (let i = 0; i < 45; i++) await side.limiter.limit({ user: "user-0", org: "org-0" });
  await side.limiter.reset({ user: "user-0", org: "org-0" });
  await afterwards();
  const decision = await side.limiter.limit({ user: "user-0", org: "org-0" });
  expect(decision.shadow).toMatchObject([{ allowed: true, remaining: 39 }]);
});

test("of a hold without a call, a shadow that gives units back counts the settled ones", async () => {
  const side = sideOf({
    policies: [
      fixedWindow({ ...many, lease: "1s" }),
      fixedWindow({
        name: "tokens",
        by: "user",
        limit: 1_000,
        window: "1h",
        mode: "shadow",
        refundable: true,
      }),
    ],
  });
  const steps = Array.from({ length: 40 }, () => request);
  for (const each of steps) {
    side.world.nowUs += 2_000;
    await take(side.limiter, each);
    await afterwards();
  }
  const calls = side.asked.length;
  const hold = await side.limiter.reserve({ user: "user-0" }, { cost: { tokens: 100 } });
  expect(side.asked).toHaveLength(calls);
  const { remaining } = hold.shadow[0]!;
  await hold.settle({ tokens: 7 });
  expect(side.asked).toHaveLength(calls);
  const next = await side.limiter.limit({ user: "user-0" }, { cost: { tokens: 0 } });
  expect(next.shadow[0]!.remaining).toBe(remaining + 93);
});
