import { describe, expect, test } from "vitest";

import { countDemand, createHolding, heldUnits, putBack, spend } from "../../src/lease/holding.ts";

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

  test("is what was asked for in this period, and of the one before the share that is not over", () => {
    const holding = createHolding(0);
    expect(demandAt(holding, 0, 4)).toBe(4);
    expect(demandAt(holding, 99, 4)).toBe(8);
    expect(demandAt(holding, 100, 0)).toBe(8);
    expect(demandAt(holding, 150, 2)).toBe(8 * 0.5 + 2);
    expect(demandAt(holding, 225, 1)).toBe(2 * 0.75 + 1);
  });

  test("of a period that nobody asked in is none", () => {
    const holding = createHolding(0);
    demandAt(holding, 0, 50);
    expect(demandAt(holding, 200, 1)).toBe(1);
  });

  test("stands still while requests are kept back, as they were told to", () => {
    const holding = createHolding(0);
    demandAt(holding, 0, 8);
    holding.silentUntilMs = 1_000;
    expect(demandAt(holding, 1_000, 0)).toBe(8);
    expect(demandAt(holding, 1_050, 0)).toBe(8);
    expect(demandAt(holding, 1_150, 0)).toBe(4);
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

  test("expire when they would have", () => {
    const holding = holdingOf([1, 100]);
    const spent = spend(holding, 1);
    putBack(holding, spent);
    expect(heldUnits(holding, 99)).toBe(1);
    expect(heldUnits(holding, 100)).toBe(0);
  });
});
