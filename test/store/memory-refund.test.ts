import { expect, test } from "vitest";

import { fixedWindow, memoryStore, type Policy, slidingWindowLog } from "../../src/index.ts";
import type { Reply } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { fullestWindow } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";

/*
 * A log in memory tells 128 moments apart, and merges others. The tests state its refunds all the same, and those that it must
 * not make.
 */

const WINDOW = 10_000_000;
const START = 1_800_000_000_000_000;

interface Take {
  readonly reply: Reply;
  kept: number;
}

/** One key, on a clock that the test moves. */
function counted(policy: Policy, maxEntries = 10) {
  const policies = compile([policy]);
  let now = START;
  const store = memoryStore({ now: () => now, maxEntries });
  return {
    pass: (microseconds: number) => (now += microseconds),
    now: () => now,
    left: () => (store.decide("peek", ["key"], [1], policies) as Reply).rows[0]!.remaining,
    take(units: number, key = "key"): Take {
      const reply = store.decide("consume", [key], [units], policies) as Reply;
      return { reply, kept: reply.rows[0]!.allowed ? units : 0 };
    },
    charge: (units: number) => store.decide("charge", ["key"], [units], policies),
    giveBack({ reply }: Take, units: number): number {
      return (store.refund!(["key"], [units], policies, reply) as readonly number[])[0]!;
    },
    reset: () => void store.reset(["key"]),
  };
}

const log = (limit: number) => slidingWindowLog({ limit, window: "10s" });

test("a log that has merged moments gives back its whole count, in any order", () => {
  const { take, giveBack, pass, left } = counted(log(2_000));
  const takes = Array.from({ length: 1_000 }, () => {
    pass(WINDOW / 1_001);
    return take(2);
  });
  const draw = random(3);
  for (let taken = 2_000; takes.length > 0; taken -= 2) {
    expect(left()).toBe(2_000 - taken);
    const [chosen] = takes.splice(Math.floor(draw() * takes.length), 1);
    expect(giveBack(chosen!, 2)).toBe(2);
  }
  expect(left()).toBe(2_000);
});

test("of a log in debt all comes back, and the charge counts in full", () => {
  const { take, charge, giveBack, pass, left } = counted(log(10));
  const first = take(4);
  pass(1);
  const second = take(4);
  pass(1);
  charge(30);
  pass(1);
  expect([giveBack(first, 2), giveBack(second, 4), left()]).toEqual([2, 4, 0]);
  pass(WINDOW - 2);
  expect(left()).toBe(0);
  pass(1);
  expect(left()).toBe(10);
});

test("while units leave the window and others come, all that is given back comes back", () => {
  const { take, giveBack, pass, now, left } = counted(log(100_000));
  const draw = random(7);
  const takes: Take[] = [];
  let whole = 0;
  for (let step = 0; step < 8_000; step++) {
    pass(1 + Math.floor((draw() * WINDOW) / 300));
    if (draw() < 0.7) takes.push(take(1 + Math.floor(draw() * 9)));
    const old = takes[takes.length - 1 - Math.floor(draw() * 400)];
    if (!old || old.kept === 0 || draw() < 0.5) continue;
    const counts = old.reply.nowUs > now() - WINDOW;
    const before = left();
    expect(giveBack(old, old.kept)).toBe(counts ? old.kept : 0);
    expect(left()).toBe(before + (counts ? old.kept : 0));
    old.kept = 0;
    if (counts) whole++;
  }
  expect(whole).toBeGreaterThan(1_000);
});

test("of the kept units, no window holds more than the limit", () => {
  let given = 0;
  for (const limit of [130, 400, 3_000]) {
    const { take, giveBack, pass } = counted(log(limit));
    const draw = random(limit);
    const takes: (Take & { readonly time: number })[] = [];
    for (let step = 0; step < 6_000; step++) {
      pass(1 + Math.floor(draw() ** 4 * WINDOW * 0.05));
      const taken = take(draw() < 0.8 ? 1 : 1 + Math.floor((draw() * limit) / 20));
      if (taken.kept > 0) takes.push({ ...taken, time: taken.reply.nowUs });
      const old = takes[takes.length - 1 - Math.floor(draw() ** 2 * 300)];
      if (!old || old.kept === 0 || draw() < 0.6) continue;
      const back = giveBack(old, Math.ceil(draw() * old.kept));
      old.kept -= back;
      given += back;
    }
    const admissions = takes.map(({ time, kept }) => ({ time, units: kept }));
    const fullest = fullestWindow(admissions, WINDOW);
    expect(fullest).toBeLessThanOrEqual(limit);
    // A client that gives back gets it again: all but the units that count for up to a 63rd of the window longer.
    expect(fullest).toBeGreaterThan(limit * 0.9);
  }
  expect(given).toBeGreaterThan(1_000);
});

test("a moment from before a reset gives nothing back, even if later ones are merged", () => {
  const { take, giveBack, pass, left, reset } = counted(log(1_000));
  const before = take(5);
  reset();
  for (let i = 0; i < 300; i++) {
    pass(1_000);
    take(1);
  }
  expect(giveBack(before, 5)).toBe(0);
  expect(left()).toBe(700);
});

test("a moment between two others gives nothing back", () => {
  const { take, giveBack, pass, left } = counted(log(1_000));
  take(5);
  pass(1_000);
  take(5);
  expect(giveBack({ reply: { nowUs: START + 500, rows: [] }, kept: 0 }, 5)).toBe(0);
  expect(left()).toBe(990);
});

test("after a step back of the clock, units of a time to come count from then and do not come back", () => {
  const { take, giveBack, pass, left } = counted(log(1_000));
  pass(5_000);
  const ahead = take(5);
  pass(-4_000);
  const then = take(1);
  expect(giveBack(ahead, 5)).toBe(0);
  pass(8_000);
  take(1);
  expect(giveBack(ahead, 5)).toBe(0);
  expect(left()).toBe(993);
  expect(giveBack(then, 1)).toBe(1);
  expect(left()).toBe(994);
});

test("a refund counts as a use", () => {
  const { take, giveBack, left } = counted(fixedWindow({ limit: 9, window: "10s" }), 2);
  const first = take(3);
  take(1, "other");
  giveBack(first, 1);
  // One of the two has to go.
  take(1, "third");
  expect(left()).toBe(7);
});

test("a key with a refund makes room as soon as it counts no more", () => {
  const { take, giveBack, pass } = counted(fixedWindow({ limit: 9, window: "10s" }), 2);
  const first = take(3);
  pass(WINDOW);
  take(1, "other");
  expect(giveBack(first, 1)).toBe(0);
  take(1, "third");
  expect(take(1, "other").reply.rows[0]!.remaining).toBe(7);
});
