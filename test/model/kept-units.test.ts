import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Evaluation, Operation } from "../../src/algorithms/model.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type CompiledPolicy, keepingUnits } from "../../src/policy/compile.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";

/*
 * A name that stands for one policy after the other, such as the plans of a client: what was consumed counts in units.
 * On the models, which test/lua/model.test.ts holds equal to the scripts.
 */

const HOUR = 3_600e6;
/** Five minutes and a half into an hour. */
const START = 500_000 * HOUR + 330e6;

interface Counter {
  ask(policy: CompiledPolicy, operation: Operation, cost?: number): Evaluation<unknown>;
  /** Of the clock, in microseconds. */
  now: number;
}

function counter(): Counter {
  let state: unknown;
  return {
    now: START,
    ask({ implementation, limit, parameters }, operation, cost = 1) {
      const request = { nowUs: this.now, operation, cost, limit, parameters };
      const outcome = implementation.model(state, request);
      ({ state } = outcome);
      return outcome;
    },
  };
}

const bucket = (limit: number, refill: number) =>
  compilePolicy(tokenBucket({ name: "rides", limit, refill, per: "1s" }));
const plan = (limit: number, refill: number) => keepingUnits(bucket(limit, refill));

describe.each(ALGORITHMS)("%s whose limit changes in the middle of a window", (algorithm) => {
  const planOf = (limit: number) =>
    keepingUnits(
      everyPolicy(limit, "1h")
        .filter((policy) => policy.algorithm === algorithm)
        .map(compilePolicy)[0]!,
    );

  test("a raised limit adds the difference", () => {
    const counted = counter();
    expect(counted.ask(planOf(20), "consume", 15).remaining).toBe(5);
    expect(counted.ask(planOf(200), "peek").remaining).toBe(185);
    expect(counted.ask(planOf(200), "consume", 186).allowed).toBe(false);
    expect(counted.ask(planOf(200), "consume", 185).allowed).toBe(true);
  });

  test("a lowered limit leaves what is not used, or nothing", () => {
    const counted = counter();
    counted.ask(planOf(200), "consume", 15);
    expect(counted.ask(planOf(20), "peek").remaining).toBe(5);
    expect(counted.ask(planOf(15), "peek").remaining).toBe(0);
    expect(counted.ask(planOf(15), "consume").allowed).toBe(false);
    expect(counted.ask(planOf(10), "peek").remaining).toBe(0);
  });
});

describe.each(ALGORITHMS.filter((algorithm) => algorithm !== "token-bucket"))(
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
      // What was charged in debt may count or not.
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

  test("keeps what was taken in units, up and down", () => {
    const counted = counter();
    counted.ask(silver, "consume", 20);
    expect(counted.ask(gold, "peek")).toMatchObject({ remaining: 180, resetAfterUs: 200_000 });
    counted.ask(gold, "consume", 10);
    expect(counted.ask(plan(50, 1), "peek")).toMatchObject({ remaining: 20, resetAfterUs: 30e6 });
  });

  test("would count time, if it were not made to keep units", () => {
    const counted = counter();
    counted.ask(bucket(20, 10), "consume", 20);
    expect(counted.ask(bucket(200, 100), "peek").remaining).toBe(0);
  });

  test("is empty, not in debt, where more was taken than the new limit", () => {
    const counted = counter();
    counted.ask(gold, "consume", 150);
    expect(counted.ask(silver, "consume")).toMatchObject({
      allowed: false,
      remaining: 0,
      retryAfterUs: 100_000,
      resetAfterUs: 2e6,
    });
    // What was beyond is forgotten.
    expect(counted.ask(gold, "peek").remaining).toBe(180);
  });

  test("stays in debt where it was", () => {
    const counted = counter();
    counted.ask(silver, "charge", 30);
    expect(counted.ask(plan(25, 5), "peek", 1).retryAfterUs).toBe(6 * 200_000);
    expect(counted.ask(plan(10, 10), "peek", 1).retryAfterUs).toBe(11 * 100_000);
    expect(counted.ask(gold, "peek").remaining).toBe(180);
  });

  test.for<Operation>(["peek", "consume"])(
    "refills at the new rate from the first request on, even where that is a %s that takes nothing",
    (operation) => {
      const counted = counter();
      counted.ask(silver, "consume", 20);
      counted.now += 1e6;
      expect(counted.ask(plan(20, 1), operation, 20).remaining).toBe(10);
      counted.now += 1e6;
      expect(counted.ask(plan(20, 1), operation, 20).remaining).toBe(11);
    },
  );

  test("counts part of a unit as at most what it was, rounded up to the next microsecond", () => {
    const counted = counter();
    counted.ask(plan(20, 1), "consume", 2);
    counted.now += 600_000;
    // 1.4 units.
    expect(counted.ask(plan(20, 10), "peek")).toMatchObject({
      remaining: 18,
      resetAfterUs: 140_001,
    });
  });

  test("takes a state from before it kept units as written at its own rate", () => {
    const counted = counter();
    counted.ask(bucket(20, 10), "consume", 15);
    expect(counted.ask(silver, "peek").remaining).toBe(5);
    expect(counted.ask(gold, "peek").remaining).toBe(50);
  });

  test("is read as time by one that does not keep units", () => {
    const counted = counter();
    counted.ask(silver, "consume", 15);
    expect(counted.ask(bucket(20, 10), "peek").remaining).toBe(5);
    expect(counted.ask(bucket(200, 100), "peek").remaining).toBe(50);
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
  .map((options) => keepingUnits(compilePolicy(tokenBucket(options))));

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
    { numRuns: 8_000 },
  );
});

test("whatever the plans, no span holds more than is promised, and nothing that was used is forgotten", () => {
  let changes = 0;
  let cuts = 0;
  fc.assert(
    fc.property(plans, steps, (given, asked) => {
      const compiled = given.map(({ limit, refill }) => plan(limit, refill));
      const counted = counter();
      /** Of every request: what it was admitted, the limit, and what the rate has brought since the one before. */
      const requests: { units: number; limit: number; refilled: number }[] = [];
      let at = 0;
      /** Units, as a bucket counts that rounds nothing. */
      let used = 0;
      let slack = 1e-9;
      for (const { gap, change, cost, peek } of asked) {
        const refilled = (gap / 1000) * given[at % given.length]!.refill;
        counted.now += gap * 1000;
        used = Math.max(0, used - refilled);
        if (change !== undefined && change % given.length !== at % given.length) {
          at = change;
          changes++;
          cuts += used > given[at % given.length]!.limit ? 1 : 0;
          slack += 2 / compiled[at % given.length]!.parameters["intervalUs"]!;
        }
        const { limit } = given[at % given.length]!;
        used = Math.min(used, limit);
        const policy = compiled[at % given.length]!;
        const before = counted.ask(policy, "peek").remaining;
        const expected = [slack, -1e-9].map((error) => Math.floor(limit - used - error));
        expect(expected).toContain(before);
        const { allowed } = counted.ask(policy, peek ? "peek" : "consume", cost);
        const units = allowed && !peek ? cost : 0;
        used += units;
        requests.push({ units, limit, refilled });
      }
      // Of all spans that end with a request, the one that holds most beyond the limit at its start, the raises and the
      // refill within it.
      let beyond = -Infinity;
      requests.forEach(({ units, limit, refilled }, i) => {
        const raise = Math.max(0, limit - (requests[i - 1]?.limit ?? limit));
        beyond = Math.max(beyond - refilled - raise, -limit) + units;
        expect(beyond).toBeLessThanOrEqual(1e-9);
      });
    }),
    { numRuns: 800 },
  );
  expect(changes).toBeGreaterThan(5_000);
  expect(cuts).toBeGreaterThan(500);
});

test("who waits as told after a change passes, and a microsecond earlier does not", () => {
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
    { numRuns: 5_000 },
  );
  expect(waits).toBeGreaterThan(2_500);
});
