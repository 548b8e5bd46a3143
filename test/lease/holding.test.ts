import { describe, expect, test } from "vitest";

import {
  countDemand,
  coveredUnits,
  coversAll,
  createHolding,
  heldUnits,
  isIndebted,
  noteAdmitted,
  putBack,
  spend,
} from "../../src/features/leases/holding.ts";

/** A holding of these grants: units, and until when they may be spent. */
function holdingOf(...grants: [units: number, untilMs: number][]) {
  return { ...createHolding(0), grants: grants.map(([units, untilMs]) => ({ units, untilMs })) };
}

describe("units held", () => {
  test("are those of all leases that are neither spent nor over, which are forgotten", () => {
    const holding = holdingOf([3, 100], [0, 500], [4, 200]);
    expect(heldUnits(holding, 99)).toBe(7);
    expect(holding.grants).toHaveLength(2);
    expect(heldUnits(holding, 100)).toBe(4);
    expect(heldUnits(holding, 200)).toBe(0);
    expect(holding.grants).toEqual([]);
  });

  test("are spent from the oldest lease on, because it is over first", () => {
    const holding = holdingOf([3, 100], [4, 200]);
    spend(holding, 2);
    expect(holding.grants.map(({ units }) => units)).toEqual([1, 4]);
    spend(holding, 3);
    expect(holding.grants.map(({ units }) => units)).toEqual([0, 2]);
  });
});

describe("demand", () => {
  const PERIOD = 100;
  const demandAt = (holding: ReturnType<typeof createHolding>, nowMs: number, cost = 1) =>
    countDemand(holding, cost, nowMs, PERIOD);

  test("is the units asked for in this period, and of the one before the share that is not over", () => {
    const holding = createHolding(0);
    expect(demandAt(holding, 0, 4)).toBe(4);
    expect(demandAt(holding, 99, 4)).toBe(8);
    expect(demandAt(holding, 100, 0)).toBe(8);
    expect(demandAt(holding, 150, 2)).toBe(8 * 0.5 + 2);
    expect(demandAt(holding, 225, 1)).toBe(2 * 0.75 + 1);
  });

  test("of a period without requests is none", () => {
    const holding = createHolding(0);
    demandAt(holding, 0, 50);
    expect(demandAt(holding, 200, 1)).toBe(1);
  });
});

describe("units that go back", () => {
  test("join those of their lease, and stay in the order of their ends", () => {
    const holding = holdingOf([3, 100], [4, 200]);
    const spent = spend(holding, 5);
    expect(spent).toEqual([
      { units: 3, untilMs: 100 },
      { units: 2, untilMs: 200 },
    ]);
    expect(heldUnits(holding, 50)).toBe(2);
    putBack(holding, spent);
    expect(holding.grants).toEqual([
      { units: 3, untilMs: 100 },
      { units: 4, untilMs: 200 },
    ]);
  });

  test("stand before and after those that have come meanwhile, by their ends", () => {
    const holding = holdingOf([4, 100], [4, 300]);
    putBack(holding, [
      { units: 2, untilMs: 400 },
      { units: 1, untilMs: 200 },
    ]);
    expect(holding.grants.map(({ untilMs }) => untilMs)).toEqual([100, 200, 300, 400]);
  });

  test("have room in the policies that they had it in before", () => {
    const holding = {
      ...createHolding(0),
      grants: [{ units: 3, untilMs: 100, covered: [3, 1] }],
    };
    const spent = spend(holding, 2);
    expect([0, 1].map((policy) => coversAll(spent, policy))).toEqual([true, false]);
    expect([0, 1].map((policy) => coveredUnits(holding, policy))).toEqual([1, 0]);
    putBack(holding, spent);
    expect([0, 1].map((policy) => coveredUnits(holding, policy))).toEqual([3, 1]);
  });

  test("expire when they would have", () => {
    const holding = holdingOf([1, 100]);
    const spent = spend(holding, 1);
    putBack(holding, spent);
    expect(heldUnits(holding, 99)).toBe(1);
    expect(heldUnits(holding, 100)).toBe(0);
  });
});

describe("units that expire unspent", () => {
  test("are earned back by 32 admitted requests each, where the limit is reached", () => {
    const holding = { ...holdingOf([2, 100], [5, 500]), reachedUntilMs: 1_000 };
    heldUnits(holding, 99);
    expect(isIndebted(holding)).toBe(false);
    heldUnits(holding, 100);
    for (let admitted = 0; admitted < 64; admitted++) {
      expect(isIndebted(holding)).toBe(true);
      noteAdmitted(holding, 1);
    }
    expect(isIndebted(holding)).toBe(false);
  });

  test("cost nothing where as many were earned before, at most eight", () => {
    const holding = { ...holdingOf([8, 100], [1, 200]), reachedUntilMs: 1_000 };
    noteAdmitted(holding, 1_000);
    heldUnits(holding, 100);
    expect(isIndebted(holding)).toBe(false);
    heldUnits(holding, 200);
    expect(isIndebted(holding)).toBe(true);
  });

  test("cost nothing either where as many were earned before it was reached", () => {
    const holding = holdingOf([8, 100]);
    noteAdmitted(holding, 1_000);
    heldUnits(holding, 50);
    holding.reachedUntilMs = 1_000;
    heldUnits(holding, 100);
    expect(isIndebted(holding)).toBe(false);
  });

  test("are no loss where it is not reached", () => {
    const holding = holdingOf([2, 100]);
    heldUnits(holding, 100);
    expect(isIndebted(holding)).toBe(false);
  });

  test("are forgotten with a window that ends with room, and not with one that was full", () => {
    const lossAt = (nowMs: number, isFull: boolean) => {
      const held = holdingOf([2, 100]);
      const holding = { ...held, reachedUntilMs: 1_000, windowEndsMs: 200, isFull };
      heldUnits(holding, 100);
      heldUnits(holding, nowMs);
      return isIndebted(holding);
    };
    expect([lossAt(199, false), lossAt(200, false), lossAt(200, true)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("units spent in time are no loss", () => {
    const holding = { ...holdingOf([2, 100]), reachedUntilMs: 1_000 };
    spend(holding, 2);
    heldUnits(holding, 100);
    expect(isIndebted(holding)).toBe(false);
  });
});
