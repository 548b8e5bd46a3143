import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Operation } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * Windows that begin with the first request, on the model, which test/lua/model.test.ts holds equal to the script. The
 * ledger knows only when units were admitted and given back.
 */

/** Seven seconds into a window of any length below. */
const START = 500_000 * 3600e6 + 7e6;

const compiled = (limit: number, windowMs: number) =>
  compilePolicy(fixedWindow({ name: "f", limit, window: `${windowMs}ms`, aligned: false }));

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
const asks = fc.array(fc.record({ gap, cost: fc.integer({ min: 1, max: 9 }) }), {
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
