import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { fixedWindow, type LimiterOptions, tokenBucket } from "../../support/limiter/plain.ts";
import { NO_ANSWER, NOT_SENT } from "../../support/limiter/watched-store.ts";
import { runs } from "../../support/runs.ts";
import { expectPair, SHADOWS, SHADOWS_WITH_TRAITS, sideOf, type Step } from "./pair.ts";

// Work after a response waits for the next turn, which is at once here.
beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

const user = { name: "user", by: "user", limit: 60, window: "10s" } as const;
const many = { ...user, limit: 2_000, window: "1m" } as const;

type Case = Omit<LimiterOptions, "store" | "redis">;

/** Limiters of every feature that decides without a call, or with calls of its own. */
const CASES: Readonly<Record<string, Case>> = {
  "no feature": { policies: [fixedWindow({ ...user, limit: 4 })] },
  "two dimensions": {
    policies: [fixedWindow(user), fixedWindow({ ...user, name: "org", by: "org", limit: 20 })],
  },
  "a lease": { policies: [fixedWindow(many)], lease: "1s" },
  "leases by itself": { policies: [fixedWindow(many)], lease: "auto" },
  "a leased bucket": {
    policies: [tokenBucket({ name: "user", by: "user", limit: 500, refill: 500, per: "1s" })],
    lease: "auto",
  },
  optimistic: { policies: [fixedWindow({ ...user, optimistic: true })] },
  "optimistic with leases": {
    policies: [fixedWindow({ ...many, optimistic: { unsettled: 5, above: 0.1 } })],
    lease: "auto",
  },
  "a lease beside a dimension without": {
    policies: [
      fixedWindow({ ...many, lease: "1s" }),
      fixedWindow({ ...user, name: "org", by: "org", limit: 30 }),
    ],
  },
  "optimistic beside a dimension without": {
    policies: [
      fixedWindow({ ...user, optimistic: true }),
      fixedWindow({ ...user, name: "org", by: "org", limit: 30 }),
    ],
  },
  shards: { policies: [fixedWindow({ ...user, shards: 3 })] },
  bans: {
    policies: [
      fixedWindow({ ...user, limit: 5 }),
      fixedWindow({ ...user, name: "ban", limit: 6, window: "1m", counts: "denials" }),
    ],
  },
  "units that come back": { policies: [fixedWindow({ ...user, refundable: true })] },
  "a soft policy": {
    policies: [fixedWindow(user), fixedWindow({ ...user, name: "soft", limit: 9, mode: "soft" })],
  },
  "an outage that closes": {
    policies: [fixedWindow({ ...user, limit: 9 })],
    onFailure: "closed",
  },
};

const PLANS = {
  small: { user: { limit: 8 }, "shadow-user": { limit: 2 }, "shadow-all": { limit: 4 } },
} as const;

const step: fc.Arbitrary<Step> = fc.record({
  operation: fc.constantFrom(
    ...([
      "limit",
      "limit",
      "limit",
      "limit",
      "limit",
      "peek",
      "charge",
      "reserve",
      "reset",
    ] as const),
  ),
  waitMs: fc.constantFrom(0, 1, 2, 5, 20, 3_000),
  user: fc.constantFrom(0, 0, 0, 0, 0, 1),
  org: fc.constantFrom(0, 0, 0, 1),
  cost: fc.constantFrom(1, 1, 1, 1, 1, 1, 0, 2, 70),
  plan: fc.boolean(),
});

const schedule = fc.array(step, { minLength: 20, maxLength: 80 });

function pairOf(options: Case, plans: boolean, shadows = SHADOWS) {
  const without = { ...options, ...(plans && { plans: { small: { user: PLANS.small.user } } }) };
  const beside = {
    ...options,
    // A shadow may stand before the others, and its numbers may differ under a plan.
    policies: [shadows[0]!, ...options.policies, ...shadows.slice(1)],
    ...(plans && { plans: PLANS }),
  };
  return [sideOf(without), sideOf(beside)] as const;
}

describe.each(Object.entries(CASES))("with %s, a shadow changes", (_, options) => {
  test.for([false, true])("nothing that clients see, nor calls; plans: %s", async (plans) => {
    const property = fc.asyncProperty(schedule, async (steps) => {
      const [without, beside] = pairOf(options, plans);
      const own = steps.map((each) => ({ ...each, plan: plans && each.plan }));
      await expectPair(without, beside, own);
    });
    await fc.assert(property, { numRuns: runs(40) });
  });

  const shadows = SHADOWS_WITH_TRAITS.filter(({ counts, refundable, shards }) => {
    // The lease of a limiter goes with none of these.
    if (options.lease === "1s") return !counts && !refundable && !shards;
    // Shards draw the next random number, which other shards would get.
    return !shards || options.policies.every((policy) => !policy.shards);
  });

  test("nothing that clients see, whatever its own traits", async () => {
    const property = fc.asyncProperty(schedule, async (steps) => {
      const [without, beside] = pairOf(options, false, shadows);
      // A hold gives units of a shadow back by a call of its own.
      const own = steps
        .filter(({ operation }) => operation !== "reserve")
        .map((each) => Object.assign(each, { plan: false }));
      await expectPair(without, beside, own);
    });
    await fc.assert(property, { numRuns: runs(40) });
  });

  test("nothing that clients see in outages", async () => {
    const outages = fc.tuple(
      schedule,
      fc.array(fc.nat({ max: 9 }), { minLength: 80, maxLength: 80 }),
    );
    const property = fc.asyncProperty(outages, async ([steps, weather]) => {
      const [without, beside] = pairOf(options, false);
      const failures = [NO_ANSWER, NOT_SENT, { ...NO_ANSWER, ran: true }];
      const own = steps
        .filter(({ operation }) => operation !== "reset")
        .map((each): Step => Object.assign(each, { plan: false }));
      await expectPair(without, beside, own, ({ world }, i) => {
        world.failure = failures[weather[i]!];
      });
    });
    await fc.assert(property, { numRuns: runs(40) });
  });
});

test("of 500 requests under a lease, one call more per lease", async () => {
  const policies = [fixedWindow(many)];
  const shadow = fixedWindow({ ...many, name: "shadow", limit: 400, mode: "shadow" });
  const without = sideOf({ policies, lease: "1s" });
  const beside = sideOf({ policies: [...policies, shadow], lease: "1s" });
  const steps = Array.from({ length: 500 }, (): Step => {
    return { operation: "limit", waitMs: 2, user: 0, org: 0, cost: 1, plan: false };
  });
  await expectPair(without, beside, steps);
  const leases = without.asked.filter(({ call }) => call === "lease").length;
  const sent = beside.asked.filter(({ call }) => call === "charge").length;
  expect(leases).toBeGreaterThan(0);
  expect(sent).toBe(beside.asked.length - without.asked.length);
  expect([without.asked.length, leases, sent]).toEqual([27, 20, 17]);
});
