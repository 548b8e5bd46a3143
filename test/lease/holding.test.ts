import { describe, expect, test } from "vitest";

import {
  countDemand,
  coveredUnits,
  coversAll,
  createHolding,
  leasedUnits,
  noteSpent,
  putBack,
  spend,
  takeSpent,
} from "../../src/features/leases/holding.ts";

/** A holding of these grants: units, and until when they may be spent. */
function holdingOf(...grants: [units: number, untilMs: number][]) {
  return { ...createHolding(0), grants: grants.map(([units, untilMs]) => ({ units, untilMs })) };
}

describe("leased units", () => {
  test("are those of all leases that are neither spent nor over, which are forgotten", () => {
    const holding = holdingOf([3, 100], [0, 500], [4, 200]);
    expect(leasedUnits(holding, 99)).toBe(7);
    expect(holding.grants).toHaveLength(2);
    expect(leasedUnits(holding, 100)).toBe(4);
    expect(leasedUnits(holding, 200)).toBe(0);
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
    expect(leasedUnits(holding, 50)).toBe(2);
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
    expect(leasedUnits(holding, 99)).toBe(1);
    expect(leasedUnits(holding, 100)).toBe(0);
  });
});

describe("spent units", () => {
  const EPOCHS = [
    [1, 5],
    [2, 5],
  ] as const;

  test("are reported once, apart for each account that counts them", () => {
    const holding = createHolding(0);
    const spendIn = (units: number, epochs?: readonly number[]) =>
      noteSpent(holding, [{ units, untilMs: 100, epochs }]);
    spendIn(2, EPOCHS[0]);
    spendIn(1, EPOCHS[1]);
    spendIn(3, [...EPOCHS[0]]);
    // In no account.
    spendIn(4);
    expect(takeSpent(holding)).toEqual([
      { units: 5, epochs: [1, 5] },
      { units: 1, epochs: [2, 5] },
    ]);
    expect(takeSpent(holding)).toEqual([]);
  });
});
