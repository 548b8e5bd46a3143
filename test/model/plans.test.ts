import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { slidingWindowCounter, tokenBucket } from "../../src/index.ts";
import { FACTS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * A name that stands for one policy after the other, such as the plans of a client: consumed units count. On the models, which
 * test/lua/model.test.ts holds equal to the scripts.
 */

const HOUR = 3_600e6;
/** Five minutes and a half into an hour. */
const START = 500_000 * HOUR + 330e6;

const counter = () => counterAt(START);

const plan = (limit: number, refill: number) =>
  compilePolicy(tokenBucket({ name: "rides", limit, refill, per: "1s" }));

describe.each(ALGORITHMS)("%s whose limit changes in the middle of a window", (algorithm) => {
  const planOf = (limit: number) =>
    everyPolicy(limit, "1h")
      .filter((policy) => policy.algorithm === algorithm)
      .map(compilePolicy)[0]!;

  test("a raised limit adds the difference", () => {
    const counted = counter();
    expect(counted.ask(planOf(20), "consume", 15).remaining).toBe(5);
    expect(counted.ask(planOf(200), "peek").remaining).toBe(185);
    expect(counted.ask(planOf(200), "consume", 186).allowed).toBe(false);
    expect(counted.ask(planOf(200), "consume", 185).allowed).toBe(true);
  });

  test("a lowered limit leaves its unused units, or none", () => {
    const counted = counter();
    counted.ask(planOf(200), "consume", 15);
    expect(counted.ask(planOf(20), "peek").remaining).toBe(5);
    expect(counted.ask(planOf(15), "peek").remaining).toBe(0);
    expect(counted.ask(planOf(15), "consume").allowed).toBe(false);
    expect(counted.ask(planOf(10), "peek").remaining).toBe(0);
  });
});

describe.each(ALGORITHMS.filter((algorithm) => !FACTS[algorithm].refills))(
  "%s forgets nothing while its limit is lower",
  (algorithm) => {
    const [high, low] = [100, 10].map((limit) =>
      compilePolicy(everyPolicy(limit, "1h").find((policy) => policy.algorithm === algorithm)!),
    );

    test.for<Operation>(["peek", "consume", "charge"])("whatever it is asked: %s", (operation) => {
      const counted = counter();
      counted.ask(high!, "consume", 90);
      counted.now += 20e6;
      expect(counted.ask(low!, operation, 5).remaining).toBe(0);
      const { remaining } = counted.ask(high!, "peek");
      // A charge made in debt may count or not.
      expect(remaining).toBeLessThanOrEqual(10);
      expect(remaining).toBeGreaterThanOrEqual(5);
    });
  },
);

test("a counter carries over all that was taken under a higher limit, by its weight", () => {
  const [high, low] = [100, 10].map((limit) =>
    compilePolicy(slidingWindowCounter({ limit, window: "1h" })),
  );
  const counted = counter();
  counted.ask(high!, "consume", 100);
  // In the next window, when it has 15 %, 8 % left of its weight.
  counted.now = START - (START % HOUR) + 1.85 * HOUR;
  expect(counted.ask(low!, "consume")).toMatchObject({ allowed: false, remaining: 0 });
  counted.now += 0.07 * HOUR;
  expect(counted.ask(low!, "peek").remaining).toBe(2);
});

describe("a token bucket whose rate changes", () => {
  const silver = plan(20, 10);
  const gold = plan(200, 100);

  test("keeps the taken units, up and down", () => {
    const counted = counter();
    counted.ask(silver, "consume", 20);
    expect(counted.ask(gold, "peek")).toMatchObject({ remaining: 180, resetAfterUs: 200_000 });
    counted.ask(gold, "consume", 10);
    expect(counted.ask(plan(50, 1), "peek")).toMatchObject({ remaining: 20, resetAfterUs: 30e6 });
  });

  test("denies where more was taken than the new limit, for as long as the old rate takes, and forgets nothing", () => {
    const counted = counter();
    counted.ask(gold, "consume", 150);
    expect(counted.ask(silver, "consume")).toMatchObject({
      allowed: false,
      remaining: 0,
      // 131 units at 100 per second.
      retryAfterUs: 1_310_000,
      resetAfterUs: 1.5e6,
    });
    expect(counted.ask(gold, "peek").remaining).toBe(50);
  });

  test("stays in debt where it was", () => {
    const counted = counter();
    counted.ask(silver, "charge", 30);
    // What is beyond a limit comes back at the rate at which it was charged.
    expect(counted.ask(plan(25, 5), "peek", 1).retryAfterUs).toBe(6 * 100_000);
    expect(counted.ask(plan(10, 10), "peek", 1).retryAfterUs).toBe(21 * 100_000);
    expect(counted.ask(gold, "peek").remaining).toBe(170);
  });

  test.for<[Operation, number]>([
    ["consume", 11],
    ["peek", 20],
  ])(
    "refills at the new rate from the first request on, even a denied one, but a %s",
    ([operation, left]) => {
      const counted = counter();
      counted.ask(silver, "consume", 20);
      counted.now += 1e6;
      expect(counted.ask(plan(20, 1), operation, 20).remaining).toBe(10);
      counted.now += 1e6;
      expect(counted.ask(plan(20, 1), operation, 20).remaining).toBe(left);
    },
  );

  test("counts part of a unit as at most its own size, rounded up to the next microsecond", () => {
    const counted = counter();
    counted.ask(plan(20, 1), "consume", 2);
    counted.now += 600_000;
    // 1.4 units.
    expect(counted.ask(plan(20, 10), "peek")).toMatchObject({
      remaining: 18,
      resetAfterUs: 140_001,
    });
  });
});

const plans = fc.array(
  fc.record({ limit: fc.integer({ min: 1, max: 60 }), refill: fc.integer({ min: 1, max: 60 }) }),
  { minLength: 2, maxLength: 4 },
);
const steps = fc.array(
  fc.record({
    /** Milliseconds. */
    gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 700 })),
    change: fc.option(fc.nat(3), { freq: 4, nil: undefined }),
    cost: fc.integer({ min: 1, max: 20 }),
    peek: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60, size: "max" },
);

/** Of every size that a policy may have. */
const anyPlan = fc
  .record({
    limit: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1e9 })),
    refill: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1e9 })),
    per: fc.constantFrom("1ms" as const, "1s" as const, "7m" as const, "1d" as const),
  })
  .filter(({ limit, refill, per }) => {
    const seconds = { "1ms": 0.001, "1s": 1, "7m": 420, "1d": 86_400 }[per];
    return (limit / refill) * seconds < 365 * 86_400;
  })
  .map((options) => compilePolicy(tokenBucket(options)));

test("units are those that were used, rounded up by no more than three microseconds", () => {
  fc.assert(
    fc.property(
      anyPlan,
      anyPlan,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (from, to, share, wait) => {
        const counted = counter();
        const cost = Math.max(1, Math.round(share * from.limit));
        counted.ask(from, "consume", cost);
        const passedUs = Math.round(wait * from.windowUs);
        counted.now += passedUs;
        const { remaining, resetAfterUs } = counted.ask(to, "peek");
        // In fractions of whole numbers: used = numerator / old interval.
        const [old, fresh] = [from, to].map(({ parameters }) => BigInt(parameters["intervalUs"]!));
        const [oldDivisor, divisor] = [from, to].map(({ parameters }) => parameters["divisor"]!);
        const left = BigInt(cost) * old! - BigInt(passedUs) * BigInt(oldDivisor!);
        const numerator = left > 0n ? left : 0n;
        const units = (numerator + old! - 1n) / old!;
        expect(BigInt(remaining)).toBe(units > BigInt(to.limit) ? 0n : BigInt(to.limit) - units);
        if (units > BigInt(to.limit)) return;
        const exactUs = Number((numerator * fresh!) / old!) / divisor!;
        expect(resetAfterUs).toBeGreaterThanOrEqual(Math.floor(exactUs * (1 - 2 ** -50)));
        expect(resetAfterUs).toBeLessThanOrEqual(exactUs * (1 + 2 ** -45) + 3);
      },
    ),
    { numRuns: runs(8_000) },
  );
});

test("under any plans, no span holds more than the largest limit and rate, and no used unit is forgotten", () => {
  let changes = 0;
  let beyondLimit = 0;
  fc.assert(
    fc.property(plans, steps, (given, asked) => {
      const compiled = given.map(({ limit, refill }) => plan(limit, refill));
      const largest = {
        limit: Math.max(...given.map(({ limit }) => limit)),
        refill: Math.max(...given.map(({ refill }) => refill)),
      };
      const counted = counter();
      let at = 0;
      /** Units, as a bucket counts that rounds nothing, and at which rate they come back. */
      let used = 0;
      let refill = 1;
      let slack = 1e-9;
      /** The level of a bucket of the largest limit and rate. */
      let level = 0;
      for (const { gap, change, cost, peek } of asked) {
        counted.now += gap * 1000;
        used = Math.max(0, used - (gap / 1000) * refill);
        level = Math.max(0, level - (gap / 1000) * largest.refill);
        if (change !== undefined && change % given.length !== at) {
          at = change % given.length;
          changes++;
          slack += 2 / compiled[at]!.parameters["intervalUs"]!;
        }
        const { limit, refill: own } = given[at]!;
        // A difference below an error of rounding decides which rate holds.
        if (Math.abs(used - limit) < slack) return;
        const policy = compiled[at]!;
        const before = counted.ask(policy, "peek").remaining;
        const expected = [slack, -1e-9].map((error) =>
          Math.max(0, Math.floor(limit - used - error)),
        );
        expect(expected).toContain(before);
        beyondLimit += used > limit ? 1 : 0;
        const { allowed } = counted.ask(policy, peek ? "peek" : "consume", cost);
        if (peek) continue;
        if (used <= limit) refill = own;
        if (!allowed) continue;
        used += cost;
        level += cost;
        expect(level).toBeLessThanOrEqual(largest.limit + slack);
      }
    }),
    { numRuns: runs(800) },
  );
  expect(changes).toBeGreaterThan(least(3_000));
  expect(beyondLimit).toBeGreaterThan(least(500));
});

test("a client that waits as told after a change passes, and a microsecond earlier does not", () => {
  let waits = 0;
  fc.assert(
    fc.property(anyPlan, anyPlan, fc.double({ min: 0, max: 1, noNaN: true }), (from, to, share) => {
      const counted = counter();
      counted.ask(from, "consume", Math.max(1, Math.round(share * from.limit)));
      counted.now += 1;
      const { allowed, retryAfterUs } = counted.ask(to, "consume", to.limit);
      if (allowed) return;
      waits++;
      counted.now += retryAfterUs - 1;
      expect(counted.ask(to, "peek", to.limit).allowed).toBe(false);
      counted.now += 1;
      expect(counted.ask(to, "consume", to.limit).allowed).toBe(true);
    }),
    { numRuns: runs(5_000) },
  );
  expect(waits).toBeGreaterThan(least(2_500));
});
