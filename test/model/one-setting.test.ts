import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Duration } from "../../src/options/duration.ts";
import { EVERY_ALGORITHM, WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * The key names what the units of a state mean. Limits of one key count together: none admits more than itself over what all of
 * them have taken. Policies of one name whose windows differ count apart: each admits what it would admit alone.
 */

const START = 500_000 * 3600e6;

const step = fc.record({
  gapUs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 900_000 }),
    fc.integer({ min: 0, max: 9e6 }),
  ),
  which: fc.nat(2),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
  charge: fc.oneof(
    { weight: 9, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});
const steps = fc.array(step, { minLength: 1, maxLength: 120, size: "max" });
const limits = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 3 });

describe.each(EVERY_ALGORITHM)("limits of one key: $algorithm", ({ of, algorithm }) => {
  test("each admits only where all that counts leaves it room, and nothing is forgotten", () => {
    let denials = 0;
    fc.assert(
      fc.property(limits, steps, (sizes, asked) => {
        const counted = counterAt(START);
        const policies = sizes.map((limit) => compilePolicy({ ...of(limit, "10s"), name: "p" }));
        const taken: { at: number; units: number }[] = [];
        for (const { gapUs, which, cost, charge } of asked) {
          counted.now += gapUs;
          const policy = policies[which % policies.length]!;
          const { limit } = policy;
          const units = charge ? cost : Math.min(cost, limit);
          const now = counted.now;
          const { allowed } = counted.ask(policy, charge ? "charge" : "consume", units);
          const since = {
            "sliding-window-log": (at: number) => at > now - 10e6,
            "segmented-window": (at: number) => at >= now - (now % 1e6) - 10e6,
            "fixed-window": (at: number) => at >= now - (now % 10e6),
          }[algorithm as string];
          if (since) {
            const held = taken
              .filter(({ at }) => since(at))
              .reduce((sum, each) => sum + each.units, 0);
            expect(allowed).toBe(held + units <= limit);
          }
          if (!allowed) denials++;
          if (charge || allowed) taken.push({ at: now, units });
        }
      }),
      { numRuns: runs(1_000) },
    );
    expect(denials).toBeGreaterThan(least(1_000));
  });
});

test.for(WINDOWS)(
  "$algorithm: policies of one name with other windows admit what each admits alone",
  ({ of }) => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Duration[]>("1s", "7s", "10s", "60s"), {
          minLength: 2,
          maxLength: 3,
        }),
        steps,
        (windows, asked) => {
          const policies = [...new Set(windows)].map((window) =>
            compilePolicy({ ...of(10, window), name: "p" }),
          );
          const together = counterAt(START);
          const alone = policies.map(() => counterAt(START));
          for (const { gapUs, which, cost, charge } of asked) {
            const i = which % policies.length;
            for (const each of [together, ...alone]) each.now += gapUs;
            const operation = charge ? "charge" : "consume";
            const units = charge ? cost : Math.min(cost, 10);
            const { state: _, ...row } = together.ask(policies[i]!, operation, units);
            const { state: __, ...expected } = alone[i]!.ask(policies[i]!, operation, units);
            expect(row).toEqual(expected);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  },
);
