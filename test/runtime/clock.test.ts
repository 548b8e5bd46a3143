import fc from "fast-check";
import { expect, test } from "vitest";

import { steadyClock } from "../../src/runtime/time.ts";

/** The smallest step that is told apart from a difference between two requests' clocks, in milliseconds. */
const TREMOR = 10;

test("it shows the time of the clock that it reads, also while that stands still", () => {
  let shown = 5;
  const now = steadyClock(() => shown);
  expect([now(), now()]).toEqual([5, 5]);
  shown = 7.25;
  expect([now(), now()]).toEqual([7.25, 7.25]);
});

test("a step back becomes a leap of two minutes, once, and from there it goes on", () => {
  let shown = 1_000;
  const now = steadyClock(() => shown);
  now();
  shown = 1_000 - TREMOR - 1;
  expect([now(), now()]).toEqual([121_000, 121_000]);
  shown += 3;
  expect(now()).toBe(121_003);
});

test("a difference of some milliseconds is no step: it stands still, and goes on from there", () => {
  let shown = 1_000;
  const now = steadyClock(() => shown);
  now();
  shown = 1_000 - TREMOR;
  expect([now(), now()]).toEqual([1_000, 1_000]);
  shown += 3;
  expect(now()).toBe(1_003);
});

const step = fc.record({
  passed: fc.constantFrom(0, 0, 1, 40, 5_000, 90_000),
  step: fc.constantFrom(0, 0, 0, -5, -1_000, -86_400_000, 1_000, 86_400_000),
});

test("it never goes back, and less time passes on it only where a pause hides the step", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      let shown = 1_800_000_000_000;
      const now = steadyClock(() => shown);
      let last = now();
      for (const { passed, step: by } of steps) {
        shown += passed + by;
        const time = now();
        const seen = passed + by < -TREMOR;
        // At most the step is missing, or the time that passed while it was not read.
        const missing = seen || by >= 0 ? 0 : Math.min(passed, -by);
        expect(time - last).toBeGreaterThanOrEqual(seen ? 120_000 : passed - missing);
        expect(time).toBeGreaterThanOrEqual(last);
        last = time;
      }
    }),
    { numRuns: 1_000 },
  );
});
