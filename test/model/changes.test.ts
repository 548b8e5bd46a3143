import fc from "fast-check";
import { expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import type { Duration } from "../../src/options/duration.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Admission, fullestWindow } from "../support/model/trailing-window.ts";
import { runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/* A clock that goes back: on the models, which test/lua/model.test.ts holds equal to the scripts. */

const MINUTE = 60e6;
const HOUR = 60 * MINUTE;
/** Five minutes and a half into an hour. */
const START = 500_000 * HOUR + 5.5 * MINUTE;

function counter() {
  const counted = counterAt(START);
  return {
    clock: counted,
    ask: (policy: Policy, operation: Operation, cost?: number) =>
      counted.ask(compilePolicy(policy), operation, cost),
  };
}

/** A window, and how the clock and the requests go. */
const story = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  length: fc.integer({ min: 100, max: 5_000 }),
  segments: fc.integer({ min: 1, max: 7 }),
  steps: fc.array(
    fc.record({
      /** Milliseconds. */
      gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 700 })),
      /** By how many milliseconds the clock goes back, mostly not at all. */
      back: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 20_000 })),
      cost: fc.integer({ min: 1, max: 12 }),
      peek: fc.boolean(),
    }),
    { minLength: 1, maxLength: 80, size: "max" },
  ),
});

test.for(WINDOWS)(
  "$algorithm: a clock that goes back lets no more through in any real window than $times times the limit",
  ({ times, of }) => {
    fc.assert(
      fc.property(story, ({ limit, length, segments, steps }) => {
        const window: Duration = `${length}ms`;
        const policy = of(limit, window, segments);
        const counted = counter();
        const admissions: Admission[] = [];
        let time = START;
        for (const { gap, back, cost, peek } of steps) {
          time += gap * 1000;
          counted.clock.now += (gap - back) * 1000;
          const units = Math.min(cost, limit);
          const { allowed } = counted.ask(policy, peek ? "peek" : "consume", units);
          if (allowed && !peek) admissions.push({ time, units });
        }
        expect(fullestWindow(admissions, length * 1000)).toBeLessThanOrEqual(times * limit);
      }),
      { numRuns: runs(3_000) },
    );
  },
);
