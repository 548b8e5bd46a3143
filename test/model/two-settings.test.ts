import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Duration } from "../../src/options/duration.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * Two settings of one policy that are alive at once: a gradual deployment, the seconds after a live change, two services
 * that share a name. On the models, which test/lua/model.test.ts holds equal to the scripts.
 */

const START = 500_000 * 3600e6;

const bucket = (limit: number, refill: number, per: `${number}ms` = "1000ms") =>
  compilePolicy(tokenBucket({ name: "b", limit, refill, per }));

/** Units per microsecond. */
const rateOf = ({ limit, windowUs }: CompiledPolicy) => limit / windowUs;

/** The excess of a list of admissions over a bucket of the largest limit and the largest rate, in units. */
function beyondLargest(policies: readonly CompiledPolicy[]) {
  const limit = Math.max(...policies.map((policy) => policy.limit));
  const rate = Math.max(...policies.map(rateOf));
  let level = 0;
  let at = START;
  let beyond = 0;
  return {
    admit(now: number, units: number): void {
      level = Math.max(0, level - (now - at) * rate) + units;
      at = now;
      beyond = Math.max(beyond, level - limit);
    },
    most: () => beyond,
  };
}

const stepFields = {
  gapUs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 300_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 20e6 }) },
  ),
  which: fc.nat(2),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
  operation: fc.constantFrom<Operation>("consume", "consume", "consume", "peek"),
};
const step = fc.record(stepFields);

/** Requests at random, under two or three settings at once. */
function neverBeyondLargest(setting: fc.Arbitrary<CompiledPolicy>, numRuns: number): void {
  fc.assert(
    fc.property(
      fc.array(setting, { minLength: 2, maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 120, size: "max" }),
      (settings, steps) => {
        const counted = counterAt(START);
        const checked = beyondLargest(settings);
        for (const { gapUs, which, cost, operation } of steps) {
          counted.now += gapUs;
          const policy = settings[which % settings.length]!;
          const units = Math.min(cost, policy.limit);
          const { allowed } = counted.ask(policy, operation, units);
          if (allowed && operation === "consume") checked.admit(counted.now, units);
        }
        expect(checked.most()).toBeLessThan(1e-6);
      },
    ),
    { numRuns },
  );
}

describe.each(EVERY_ALGORITHM.filter(({ refills }) => refills))(
  "settings of a $algorithm, alive at once",
  ({ of }) => {
    test("never admit more than the largest limit and the largest rate", () => {
      const setting = fc
        .tuple(
          fc.integer({ min: 1, max: 30 }),
          fc.constantFrom("100ms", "1000ms", "7000ms", "60000ms"),
        )
        .map(([limit, window]) => compilePolicy({ ...of(limit, window as Duration), name: "b" }));
      neverBeyondLargest(setting, runs(1_000));
    });
  },
);

describe("two settings of a token bucket, alive at once", () => {
  test.each([
    ["20 and 20 of a fifth of the rate", bucket(20, 10), bucket(20, 2)],
    ["20 and 5 at the same rate", bucket(20, 10), bucket(5, 10)],
    ["5 at ten times the rate and 20", bucket(5, 100), bucket(20, 10)],
    ["rates with a fraction", bucket(20, 7), bucket(12, 3)],
  ])("%s: in 20 s, as much as the largest limit and rate", (_what, one, other) => {
    const counted = counterAt(START);
    const checked = beyondLargest([one, other]);
    let admitted = 0;
    // A hundred requests a second, by turns of three.
    for (let request = 0; request < 2_000; request++, counted.now += 10_000) {
      const policy = request % 6 < 3 ? one : other;
      if (!counted.ask(policy, "consume").allowed) continue;
      admitted++;
      checked.admit(counted.now, 1);
    }
    expect(checked.most()).toBeLessThan(1e-6);
    const [limit, rate] = [Math.max(one.limit, other.limit), Math.max(rateOf(one), rateOf(other))];
    expect(admitted).toBeLessThanOrEqual(limit + rate * 20e6);
    // One setting alone admits this much, so both together should not admit less.
    const least = Math.min(
      ...[one, other].map((policy) => policy.limit + rateOf(policy) * 19.9e6 - 1),
    );
    expect(admitted).toBeGreaterThanOrEqual(least);
  });

  test("20 at 10 per second beside 20 at 2 per second admit 139 in 20 s, as the guide says", () => {
    const counted = counterAt(START);
    let admitted = 0;
    for (let request = 0; request < 2_000; request++, counted.now += 10_000) {
      const policy = bucket(20, request % 6 < 3 ? 10 : 2);
      if (counted.ask(policy, "consume").allowed) admitted++;
    }
    expect(admitted).toBe(139);
  });

  const setting = fc
    .record({
      limit: fc.integer({ min: 1, max: 30 }),
      refill: fc.constantFrom(1, 2, 3, 7, 10, 60),
      per: fc.constantFrom("100ms", "1000ms", "7000ms", "60000ms"),
    })
    .map(({ limit, refill, per }) => bucket(limit, refill, per as `${number}ms`));
  test("never admit more than the largest limit and the largest rate, at random", () => {
    neverBeyondLargest(setting, runs(2_000));
  });

  test("never admit more to an adversary that asks under each setting whenever one has room", () => {
    fc.assert(
      fc.property(fc.array(setting, { minLength: 2, maxLength: 3 }), fc.nat(), (settings, seed) => {
        const counted = counterAt(START);
        const checked = beyondLargest(settings);
        for (let request = 0; request < 300; request++) {
          let isDenied = true;
          for (let i = 0; i < settings.length; i++) {
            const policy = settings[(request + seed + i) % settings.length]!;
            if (!counted.ask(policy, "consume").allowed) continue;
            checked.admit(counted.now, 1);
            isDenied = false;
          }
          // As soon as any setting says that it has room.
          if (isDenied) {
            counted.now += Math.max(
              1,
              Math.min(...settings.map((policy) => counted.ask(policy, "peek").retryAfterUs)),
            );
          }
        }
        expect(checked.most()).toBeLessThan(1e-6);
      }),
      { numRuns: runs(300) },
    );
  });

  test("give back nothing that has refilled, where one setting follows the other", () => {
    let refunds = 0;
    fc.assert(
      fc.property(
        fc.tuple(setting, setting),
        fc.array(fc.record({ ...stepFields, refund: fc.option(fc.nat(4), { freq: 2 }) }), {
          minLength: 20,
          maxLength: 120,
          size: "max",
        }),
        (settings, steps) => {
          const counted = counterAt(START);
          const takes: { policy: CompiledPolicy; at: number; kept: number }[] = [];
          steps.forEach(({ gapUs, cost, refund }, i) => {
            counted.now += gapUs;
            const take = refund === null ? undefined : takes.at(-1 - refund);
            if (take) {
              const { policy, at, kept } = take;
              const back = counted.giveBack(policy, at, Math.floor(kept));
              take.kept -= back / policy.parameters["intervalUs"]!;
              if (back > 0) refunds++;
            }
            const policy = settings[i < 10 ? 0 : 1];
            const kept = Math.min(cost, policy.limit);
            if (counted.ask(policy, "consume", kept).allowed)
              takes.push({ policy, at: counted.now, kept });
          });
          const checked = beyondLargest(settings);
          for (const { at, kept } of takes) checked.admit(at, kept);
          expect(checked.most()).toBeLessThan(1e-6);
        },
      ),
      { numRuns: runs(2_000) },
    );
    expect(refunds).toBeGreaterThan(least(1_000));
  });

  test("a client waits no longer than either setting would have it wait", () => {
    fc.assert(
      fc.property(setting, setting, fc.nat(30), (before, after, spent) => {
        const counted = counterAt(START);
        counted.ask(before, "consume", Math.min(spent + 1, before.limit));
        const windows = Math.max(before.windowUs, after.windowUs);
        const until = counted.now + windows + 1;
        while (!counted.ask(after, "consume").allowed) {
          expect(counted.now).toBeLessThanOrEqual(until);
          counted.now += Math.max(1, counted.ask(after, "peek").retryAfterUs);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});
