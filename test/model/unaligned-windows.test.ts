import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Operation } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * Windows that begin with the first request, on the model, which test/lua/model.test.ts holds equal to the script. The
 * ledger knows only when units were admitted and given back.
 */

/** Seven seconds into a window of any length below. */
const START = 500_000 * 3600e6 + 7e6;

const compiled = (limit: number, windowMs: number, aligned = false) =>
  compilePolicy(fixedWindow({ name: "f", limit, window: `${windowMs}ms`, aligned }));

function counter() {
  const counted = counterAt(START);
  return {
    ask(nowUs: number, policy: CompiledPolicy, operation: Operation, cost = 1) {
      counted.now = nowUs;
      const { state: _state, ...row } = counted.ask(policy, operation, cost);
      return row;
    },
    giveBack(nowUs: number, takenAtUs: number, policy: CompiledPolicy) {
      counted.now = nowUs;
      return counted.giveBack(policy, takenAtUs, 1);
    },
  };
}

describe.each([50, 15 * 60_000])("windows of %i ms", (windowMs) => {
  const windowUs = windowMs * 1000;
  const policy = compiled(3, windowMs);

  test("begin with the first request and are over at their end, to the microsecond", () => {
    const { ask } = counter();
    for (const nowUs of [START, START + 1, START + windowUs - 2]) {
      expect(ask(nowUs, policy, "consume").allowed).toBe(true);
    }
    expect(ask(START + windowUs - 1, policy, "consume")).toEqual({
      allowed: false,
      remaining: 0,
      retryAfterUs: 1,
      resetAfterUs: 1,
    });
    expect(ask(START + windowUs, policy, "consume")).toEqual({
      allowed: true,
      remaining: 2,
      retryAfterUs: 0,
      resetAfterUs: windowUs,
    });
  });

  test("begin neither with a look nor with a window that is over", () => {
    const { ask } = counter();
    expect(ask(START, policy, "peek").resetAfterUs).toBe(0);
    ask(START + 1, policy, "consume");
    const next = START + 1 + windowUs + windowUs / 2;
    expect(ask(next, policy, "peek")).toMatchObject({ remaining: 3, resetAfterUs: 0 });
    expect(ask(next + 5, policy, "consume").resetAfterUs).toBe(windowUs);
  });

  test("get back the units taken in them, and none from the window before", () => {
    const { ask, giveBack } = counter();
    ask(START, policy, "consume");
    expect(giveBack(START + windowUs - 1, START, policy)).toBe(1);
    ask(START + 1, policy, "consume");
    ask(START + windowUs, policy, "consume");
    expect(giveBack(START + windowUs, START + 1, policy)).toBe(0);
    expect(ask(START + windowUs, policy, "peek").remaining).toBe(2);
  });
});

test("a clock that goes back begins the window anew, with the units that it holds", () => {
  const { ask } = counter();
  const policy = compiled(3, 1_000);
  ask(START, policy, "consume", 3);
  const back = START - 10e6;
  expect(ask(back, policy, "consume")).toMatchObject({ allowed: false, retryAfterUs: 1e6 });
  expect(ask(back + 1e6, policy, "consume").allowed).toBe(true);
});

const gap = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 300_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(999_999, 1e6, 1_000_001, 2e6) },
);
const asks = fc.array(fc.record({ gap, cost: fc.integer({ min: 1, max: 9 }), which: fc.nat(2) }), {
  minLength: 1,
  maxLength: 100,
  size: "max",
});

test("a window holds exactly the limit, and the first request after it begins the next", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), asks, (limit, steps) => {
      const { ask } = counter();
      const policy = compiled(limit, 1_000);
      let now = START;
      let window = { beganAt: -Infinity, units: 0 };
      for (const { gap: passed, cost } of steps) {
        now += passed;
        if (now >= window.beganAt + 1e6) window = { beganAt: now, units: 0 };
        const units = Math.min(cost, limit);
        const fits = window.units + units <= limit;
        expect(ask(now, policy, "consume", units).allowed).toBe(fits);
        if (fits) window.units += units;
      }
    }),
    { numRuns: runs(1_000) },
  );
});

describe("a policy that changes between both", () => {
  const [aligned, unaligned] = [compiled(3, 10_000, true), compiled(3, 10_000, false)];

  test("counts the taken units, in either direction", () => {
    for (const [before, after] of [
      [aligned, unaligned],
      [unaligned, aligned],
    ] as const) {
      const { ask } = counter();
      ask(START, before, "consume", 2);
      expect(ask(START + 1e6, after, "consume", 2).allowed).toBe(false);
      expect(ask(START + 1e6, after, "consume", 1).allowed).toBe(true);
    }
  });

  test("is on the grid again at the next boundary, and stays there", () => {
    const { ask } = counter();
    ask(START, unaligned, "consume", 3);
    // Ten-second windows end at 3 s, 13 s and so on after the start.
    expect(ask(START + 1e6, aligned, "consume").retryAfterUs).toBe(2e6);
    expect(ask(START + 3e6, aligned, "consume")).toMatchObject({ allowed: true, remaining: 2 });
    expect(ask(START + 13e6 - 1, aligned, "peek").resetAfterUs).toBe(1);
    expect(ask(START + 13e6, aligned, "consume").remaining).toBe(2);
  });
});

test("settings of both kinds and several lengths: each admits no more in one of the shortest than its own limit", () => {
  let [admitted, denied] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 3, maxLength: 3 }),
      asks,
      (limits, steps) => {
        const settings = [
          compiled(limits[0]!, 1_000),
          compiled(limits[1]!, 5_000),
          compiled(limits[2]!, 10_000, true),
        ];
        const { ask } = counter();
        let now = START;
        let longestWait = 0;
        // The window that counts ends at the latest a second, or ten on the grid, after its first unit.
        let held: { at: number; units: number }[] = [];
        for (const { gap: passed, cost, which } of steps) {
          now += passed;
          const policy = settings[which]!;
          const units = Math.min(cost, policy.limit);
          const before = ask(now, policy, "peek", 1);
          if (before.resetAfterUs === 0) held = [];
          const { allowed, retryAfterUs } = ask(now, policy, "consume", units);
          longestWait = Math.max(longestWait, retryAfterUs);
          if (!allowed) {
            denied++;
            continue;
          }
          admitted += units;
          held.push({ at: now, units });
          const sum = held.reduce((total, each) => total + each.units, 0);
          expect(sum).toBeLessThanOrEqual(policy.limit);
        }
        expect(longestWait).toBeLessThanOrEqual(10e6);
      },
    ),
    { numRuns: runs(1_000) },
  );
  expect(Math.min(admitted, denied)).toBeGreaterThan(least(1_000));
});

test("two settings side by side lock no client out for longer than the longer window", () => {
  for (const pair of [
    [compiled(10, 1_000, true), compiled(10, 10_000, false)],
    [compiled(10, 1_000, false), compiled(10, 10_000, true)],
    [compiled(10, 1_000, false), compiled(10, 10_000, false)],
    [compiled(10, 10_000, false), compiled(10, 10_000, true)],
  ]) {
    const { ask } = counter();
    ask(START, pair[0]!, "consume", 10);
    ask(START, pair[1]!, "consume");
    let now = START;
    for (let request = 0; !ask(now, pair[request % 2]!, "consume").allowed; request++) {
      now += 70_000;
      expect(now - START).toBeLessThanOrEqual(11e6);
    }
  }
});
