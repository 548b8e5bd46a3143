import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";
import { promisedBy, remembering } from "./remembering.ts";

/*
 * Two settings of one window that are alive at once, as in two-settings.test.ts: each request is to be decided by its own
 * limit and window, over all that was admitted under any.
 */

const START = 500_000 * 3600e6 + 330e6;

interface Numbers {
  readonly limit: number;
  readonly windowMs: number;
  readonly segments: number;
}
type Build = (numbers: Numbers) => Policy;
const segmented: Build = ({ limit, windowMs, segments }) =>
  segmentedWindow({ name: "w", limit, window: `${windowMs}ms`, segments });
const weighted: Build = ({ limit, windowMs }) =>
  slidingWindowCounter({ name: "w", limit, window: `${windowMs}ms` });

const logged: Build = ({ limit, windowMs }) =>
  slidingWindowLog({ name: "w", limit, window: `${windowMs}ms` });

const strict = [
  { algorithm: "segmented-window", build: segmented },
  { algorithm: "sliding-window-log", build: logged },
];

const setting = fc.record({
  limit: fc.integer({ min: 1, max: 30 }),
  windowMs: fc.oneof(fc.integer({ min: 100, max: 5_000 }), fc.constantFrom(1_000, 10_000, 60_000)),
  segments: fc.integer({ min: 1, max: 7 }),
});
const settings = fc.array(setting, { minLength: 2, maxLength: 3 });

type Ask = (now: number, policy: CompiledPolicy, units?: number) => void;

/**
 * The units that are admitted of the same requests by a count that all of these policies share, and by a model that remembers each
 * admission.
 */
function admittedOf(play: (ask: Ask) => void): [admitted: number, remembered: number] {
  const [counted, ledger] = [counterAt(START), remembering()];
  let admitted = 0;
  play((now, policy, units = 1) => {
    counted.now = now;
    if (counted.ask(policy, "consume", units).allowed) admitted += units;
    const promised = promisedBy(policy);
    ledger.ask(promised, now);
    if (ledger.held(promised, now) + units <= promised.limit) ledger.admit(now, units);
  });
  return [admitted, ledger.total()];
}

const short = { limit: 20, windowMs: 10_000, segments: 10 };
const long = { limit: 50, windowMs: 60_000, segments: 10 };
const few = { limit: 40, windowMs: 60_000, segments: 10 };

test.each([
  ["a segmented window", segmented, short, long, 1],
  ["a counter", weighted, short, long, 1.2],
  ["a log", logged, short, long, 1],
  ["a log of one length", logged, short, { ...short, limit: 50 }, 1],
  ["a segmented window of one length", segmented, short, { ...short, segments: 3 }, 1],
  ["a counter of nearly one window", weighted, few, { ...few, windowMs: 50_000 }, 1.2],
] as const)(
  "%s of two settings admits what each of them may, and no more",
  (_, build, one, two, times) => {
    const policies = [build(one), build(two)].map(compilePolicy);
    for (const forUs of [30e6, 120e6, 600e6]) {
      // A hundred requests a second, by turns of three.
      const [admitted, remembered] = admittedOf((ask) => {
        for (let request = 0, now = START; now < START + forUs; request++, now += 10_000) {
          ask(now, policies[Math.floor(request / 3) % policies.length]!);
        }
      });
      expect(admitted).toBeLessThanOrEqual(times * remembered);
      // And the limits stay usable: segments cost as much as they do alone.
      expect(admitted).toBeGreaterThanOrEqual(0.7 * remembered);
    }
  },
);

const step = fc.record({
  gapUs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 700_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20e6 }) },
  ),
  which: fc.nat(2),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
  operation: fc.constantFrom<Operation | "refund">(
    "consume",
    "consume",
    "consume",
    "peek",
    "refund",
  ),
});

describe.each(strict)("two settings of a $algorithm, alive at once", ({ build }) => {
  test("never admit more than a model that remembers each admission, with holds that give back", () => {
    let [admitted, given] = [0, 0];
    fc.assert(
      fc.property(
        settings,
        fc.array(step, { minLength: 1, maxLength: 120, size: "max" }),
        (numbers, steps) => {
          const policies = numbers.map((each) => compilePolicy(build(each)));
          const counted = counterAt(START);
          const ledger = remembering();
          const holds: { policy: CompiledPolicy; at: number; units: number }[] = [];
          for (const { gapUs, which, cost, operation } of steps) {
            counted.now += gapUs;
            const policy = policies[which % policies.length]!;
            const promised = promisedBy(policy);
            if (operation === "refund") {
              const hold = holds[holds.length - 1 - (cost % 5)];
              if (!hold) continue;
              const back = counted.giveBack(hold.policy, hold.at, hold.units);
              expect(back).toBeLessThanOrEqual(hold.units);
              hold.units -= back;
              ledger.giveBack(hold, back);
              given += back;
              continue;
            }
            const units = Math.min(cost, policy.limit);
            const { allowed } = counted.ask(policy, operation, units);
            if (operation === "peek") continue;
            ledger.ask(promised, counted.now);
            if (!allowed) continue;
            expect(ledger.held(promised, counted.now) + units).toBeLessThanOrEqual(promised.limit);
            const hold = { policy, at: counted.now, units };
            holds.push(hold);
            ledger.admit(counted.now, units, hold);
            admitted += units;
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
    expect(Math.min(admitted, given)).toBeGreaterThan(least(1_000));
  });

  test("never admit more to an adversary that asks under each setting whenever one has room", () => {
    fc.assert(
      fc.property(settings, fc.nat(), (numbers, seed) => {
        const policies = numbers.map((each) => compilePolicy(build(each)));
        const counted = counterAt(START);
        const ledger = remembering();
        for (let request = 0; request < 200; request++) {
          let waitUs = Infinity;
          for (let i = 0; i < policies.length; i++) {
            const policy = policies[(request + seed + i) % policies.length]!;
            const promised = promisedBy(policy);
            const { allowed, retryAfterUs } = counted.ask(policy, "consume");
            ledger.ask(promised, counted.now);
            waitUs = Math.min(waitUs, retryAfterUs);
            if (!allowed) continue;
            expect(ledger.held(promised, counted.now) + 1).toBeLessThanOrEqual(promised.limit);
            ledger.admit(counted.now, 1);
          }
          counted.now += Math.max(1, waitUs);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

test("units taken before a setting had a request come back to those that counted them, and not to that one", () => {
  const [first, second, late] = [
    { limit: 1, windowMs: 100, segments: 1 },
    { limit: 1, windowMs: 100, segments: 2 },
    { limit: 1, windowMs: 1_000, segments: 1 },
  ].map((numbers) => compilePolicy(segmented(numbers)));
  const counted = counterAt(START);
  const consume = (policy: CompiledPolicy | undefined, gapUs: number) => {
    counted.now += gapUs;
    return counted.ask(policy!, "consume").allowed;
  };
  expect([consume(first, 1), consume(second, 1), consume(late, 100_000)]).toEqual([
    true,
    false,
    true,
  ]);
  counted.now += 1;
  expect(counted.giveBack(first!, START + 1, 1)).toBe(1);
  expect(consume(late, 1)).toBe(false);
});

describe("units taken before a setting of a counter had a request don't come back to that one", () => {
  const [short, middle, late] = [
    { limit: 5, windowMs: 100, segments: 1 },
    { limit: 1, windowMs: 150, segments: 1 },
    { limit: 3, windowMs: 1_000, segments: 1 },
  ].map((numbers) => compilePolicy(weighted(numbers)));

  /** A counter that a request of the middle setting has found full, so that it counts apart, from 2 ms on. */
  function countedApart() {
    const counted = counterAt(START);
    const at = (ms: number) => (counted.now = START + ms * 1_000);
    const consume = (policy: CompiledPolicy | undefined, ms: number, cost = 1) => {
      at(ms);
      return counted.ask(policy!, "consume", cost).allowed;
    };
    expect([consume(short, 1), consume(middle, 2)]).toEqual([true, false]);
    const giveBack = (ms: number) => {
      at(ms);
      return counted.giveBack(short!, START + 1_000, 1);
    };
    return { consume, giveBack };
  }

  test("where nothing counted for it", () => {
    const { consume, giveBack } = countedApart();
    expect(consume(late, 160, 3)).toBe(true);
    expect(giveBack(161)).toBe(1);
    expect(consume(late, 162)).toBe(false);
  });

  test("where it counts units that others have taken since", () => {
    const { consume, giveBack } = countedApart();
    expect([consume(short, 50, 3), consume(late, 153)]).toEqual([true, false]);
    expect(giveBack(154)).toBe(1);
    expect(consume(late, 155)).toBe(false);
  });

  test("of one setting before, it does: that one knows its own takes", () => {
    const counted = counterAt(START);
    expect(counted.ask(short!, "consume", 3).allowed).toBe(true);
    const takenAtUs = counted.now;
    counted.now += 10_000;
    expect(counted.ask(late!, "consume").allowed).toBe(false);
    expect(counted.giveBack(short!, takenAtUs, 3)).toBe(3);
    expect(counted.ask(late!, "consume", 3).allowed).toBe(true);
  });
});

test("two settings of a counter admit at most a fifth more than that model to an adversary", () => {
  fc.assert(
    fc.property(settings, fc.nat(), (numbers, seed) => {
      const policies = numbers.map((each) => compilePolicy(weighted(each)));
      const forUs = 5 * Math.max(...policies.map(({ windowUs }) => windowUs));
      const [admitted, remembered] = admittedOf((ask) => {
        for (let request = 0, now = START; now < START + forUs; request++) {
          for (let i = 0; i < policies.length; i++) {
            ask(now, policies[(request + seed + i) % policies.length]!);
          }
          now += Math.ceil(forUs / 500);
        }
      });
      expect(admitted).toBeLessThanOrEqual(Math.ceil(1.2 * remembered) + 1);
    }),
    { numRuns: runs(60) },
  );
});

test("nor to one whose requests cost more and come unevenly", () => {
  const request = fc.record({
    gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 })),
    which: fc.nat(2),
    cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
  });
  const schedule = fc.array(request, { minLength: 100, maxLength: 400, size: "max" });
  let total = 0;
  fc.assert(
    fc.property(settings, schedule, (numbers, requests) => {
      const policies = numbers.map((each) => compilePolicy(weighted(each)));
      const unitUs = Math.max(...policies.map(({ windowUs }) => windowUs)) / 1_000;
      const [admitted, remembered] = admittedOf((ask) => {
        let now = START;
        for (const { gap, which, cost } of requests) {
          now += 1 + Math.floor(gap * unitUs);
          const policy = policies[which % policies.length]!;
          ask(now, policy, Math.min(cost, policy.limit));
        }
      });
      total += admitted;
      // One request of 30 units may be admitted here that the model refuses for smaller ones before it.
      expect(admitted).toBeLessThanOrEqual(1.2 * remembered + 30);
    }),
    { numRuns: runs(300) },
  );
  expect(total).toBeGreaterThan(least(10_000));
});
