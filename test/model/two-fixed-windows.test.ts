import fc from "fast-check";
import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Operation } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * Two settings of one fixed window that are alive at once, as in two-settings.test.ts. The ledger knows only when units
 * were admitted and given back, and the grid of the clock.
 */

/** A boundary of every window below. */
const START = 500_000 * 3600e6;

const compiled = (limit: number, windowMs: number) =>
  compilePolicy(fixedWindow({ name: "f", limit, window: `${windowMs}ms` }));

interface Hold {
  readonly policy: CompiledPolicy;
  readonly at: number;
  units: number;
}

const step = fc.record({
  gapUs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 300_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5e6 }) },
  ),
  which: fc.nat(3),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
  operation: fc.constantFrom<Operation | "refund">("consume", "consume", "peek", "refund"),
});
const steps = fc.array(step, { minLength: 1, maxLength: 120, size: "max" });
const limits = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 4 });

test("limits of one fixed window each decide exactly by the units that the window holds", () => {
  let [admitted, denied, given] = [0, 0, 0];
  fc.assert(
    fc.property(limits, steps, (numbers, schedule) => {
      const policies = numbers.map((limit) => compiled(limit, 1_000));
      const counted = counterAt(START);
      const holds: Hold[] = [];
      for (const { gapUs, which, cost, operation } of schedule) {
        counted.now += gapUs;
        const policy = policies[which % policies.length]!;
        const began = counted.now - (counted.now % 1e6);
        if (operation === "refund") {
          const hold = holds.at(-1 - (cost % 5));
          if (!hold) continue;
          const back = counted.giveBack(hold.policy, hold.at, hold.units);
          expect(back).toBe(hold.at >= began ? hold.units : 0);
          hold.units -= back;
          given += back;
          continue;
        }
        const units = Math.min(cost, policy.limit);
        const held = holds.reduce((sum, hold) => sum + (hold.at >= began ? hold.units : 0), 0);
        const { allowed } = counted.ask(policy, operation, units);
        expect(allowed).toBe(held + units <= policy.limit);
        if (operation === "peek") continue;
        if (allowed) holds.push({ policy, at: counted.now, units });
        if (allowed) admitted += units;
        else denied++;
      }
    }),
    { numRuns: runs(1_000) },
  );
  expect(Math.min(admitted, denied, given)).toBeGreaterThan(least(1_000));
});

test("fixed windows of several lengths never admit more in one of the shortest than the setting that asks", () => {
  let [admitted, denied] = [0, 0];
  fc.assert(
    fc.property(limits, steps, (numbers, schedule) => {
      // Each is a multiple of the shortest.
      const policies = numbers.map((limit, i) => compiled(limit, 1_000 * [1, 5, 10, 60][i]!));
      const counted = counterAt(START);
      const admissions: { readonly at: number; readonly units: number }[] = [];
      for (const { gapUs, which, cost, operation } of schedule) {
        counted.now += gapUs;
        if (operation === "refund") continue;
        const policy = policies[which % policies.length]!;
        const units = Math.min(cost, policy.limit);
        const { allowed } = counted.ask(policy, operation, units);
        if (operation === "peek") continue;
        if (!allowed) {
          denied++;
          continue;
        }
        admissions.push({ at: counted.now, units });
        admitted += units;
        const began = counted.now - (counted.now % 1e6);
        const held = admissions.reduce((sum, each) => sum + (each.at >= began ? each.units : 0), 0);
        expect(held).toBeLessThanOrEqual(policy.limit);
      }
    }),
    { numRuns: runs(1_000) },
  );
  expect(Math.min(admitted, denied)).toBeGreaterThan(least(1_000));
});
