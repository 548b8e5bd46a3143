import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import type { Duration } from "../../src/options/duration.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Admission, fullestWindow } from "../support/model/trailing-window.ts";
import { runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * A policy that changes under its name, and a clock that goes back: on the models, which test/lua/model.test.ts holds
 * equal to the scripts.
 */

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

describe.each(WINDOWS)("$algorithm", ({ of: build }) => {
  test.for<[before: Duration, after: Duration]>([
    ["1m", "1h"],
    ["1h", "1m"],
    ["1h", "7m"],
    ["1m", "90s"],
  ])("from %s to %s: what the old window counts, the new one counts", ([before, after]) => {
    const counted = counter();
    counted.ask(build(10, before), "consume", 4);
    counted.clock.now += 1e6;
    expect(counted.ask(build(10, after), "peek").remaining).toBe(6);
    expect(counted.ask(build(10, after), "consume", 7).allowed).toBe(false);
    expect(counted.ask(build(10, after), "consume", 6).allowed).toBe(true);
  });

  test.for<[before: Duration, after: Duration, window: number]>([
    ["1m", "1h", HOUR],
    ["1h", "1m", MINUTE],
    ["1h", "7m", 7 * MINUTE],
  ])("from %s to %s: whoever has spent all waits for one new window", ([before, after, window]) => {
    const counted = counter();
    counted.ask(build(10, before), "consume", 10);
    counted.clock.now += 1e6;
    const { retryAfterUs } = counted.ask(build(10, after), "consume");
    expect(retryAfterUs).toBeGreaterThan(0);
    expect(retryAfterUs).toBeLessThanOrEqual(window);
    // Only denials come, every few seconds: they do not make it longer.
    const until = counted.clock.now + retryAfterUs;
    for (; counted.clock.now < until; counted.clock.now += Math.ceil(window / 23)) {
      expect(counted.ask(build(10, after), "consume").allowed).toBe(false);
    }
    counted.clock.now = until;
    expect(counted.ask(build(10, after), "consume").allowed).toBe(true);
  });

  test("a window that changes while the limit is lower forgets nothing", () => {
    const counted = counter();
    counted.ask(build(10, "1h"), "consume", 9);
    counted.ask(build(2, "2h"), "peek");
    expect(counted.ask(build(10, "2h"), "peek").remaining).toBe(1);
  });

  test("two versions side by side lock no client out for longer than the longer window", () => {
    const versions = [build(10, "1m"), build(10, "10m")];
    const counted = counter();
    counted.ask(versions[0]!, "consume", 10);
    counted.ask(versions[1]!, "consume", 1);
    const spentAt = counted.clock.now;
    for (let request = 0; ; request++) {
      counted.clock.now += 700_000;
      if (counted.ask(versions[request % 2]!, "consume").allowed) break;
      expect(counted.clock.now - spentAt).toBeLessThan(11 * MINUTE);
    }
  });
});

/** Windows that a name may stand for, and how the clock and the requests go. */
const story = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  policies: fc.array(
    fc.record({
      window: fc.integer({ min: 100, max: 5_000 }),
      segments: fc.integer({ min: 1, max: 7 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  steps: fc.array(
    fc.record({
      /** Milliseconds. */
      gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 700 })),
      /** By how many milliseconds the clock goes back, mostly not at all. */
      back: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 20_000 })),
      change: fc.option(fc.nat(2), { freq: 5, nil: undefined }),
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
      fc.property(story, ({ limit, policies: [first], steps }) => {
        const window: Duration = `${first!.window}ms`;
        const policy = of(limit, window, first!.segments);
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
        expect(fullestWindow(admissions, first!.window * 1000)).toBeLessThanOrEqual(times * limit);
      }),
      { numRuns: runs(3_000) },
    );
  },
);

test.for(WINDOWS.filter(({ times }) => times === 1))(
  "$algorithm: windows that change let no more through than the limit in any window of the moment",
  ({ of }) => {
    fc.assert(
      fc.property(story, ({ limit, policies, steps }) => {
        const counted = counter();
        const admissions: Admission[] = [];
        let at = 0;
        let asked = policies[0]!;
        let remembered = START;
        for (const { gap, change, cost, peek } of steps) {
          counted.clock.now += gap * 1000;
          at = change ?? at;
          const current = policies[at % policies.length]!;
          if (!peek && current !== asked) {
            // Units that the old window had forgotten by now cannot be counted.
            remembered = Math.max(remembered, counted.clock.now - asked.window * 1000);
            asked = current;
          }
          const { window, segments } = current;
          const policy = of(limit, `${window}ms`, segments);
          const units = Math.min(cost, limit);
          const { allowed } = counted.ask(policy, peek ? "peek" : "consume", units);
          if (!allowed || peek) continue;
          admissions.push({ time: counted.clock.now, units });
          const since = Math.max(remembered, counted.clock.now - window * 1000);
          const held = admissions.filter(({ time }) => time > since);
          expect(held.reduce((sum, { units: taken }) => sum + taken, 0)).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: runs(3_000) },
    );
  },
);
