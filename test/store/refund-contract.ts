import { describe, expect, test } from "vitest";

import type { Row } from "../../src/algorithms/model.ts";
import { fixedWindow, slidingWindowLog, type Store } from "../../src/index.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import type { AlgorithmFacts } from "../support/algorithms/facts.ts";
import { partitionsOf } from "./partition.ts";

/** A window of a day has no boundary within a test, but for one second of the day. */
const DAY = "1d";

/** The promises of every store about refunds. */
export function refundContract(open: () => Store): void {
  const partition = partitionsOf(open);
  const left = (rows: readonly Row[]) => rows.map(({ remaining }) => remaining);

  /**
   * That this many came back. A bucket has refilled by less than a unit meanwhile, and gives only the rest: rounded down, one
   * less, but then as many are left as if all had come back.
   */
  function expectGiven(given: readonly number[], units: number, { refills }: AlgorithmFacts): void {
    const least = refills ? Math.max(0, units - 1) : units;
    expect(given).toHaveLength(1);
    expect(given[0]).toBeGreaterThanOrEqual(least);
    expect(given[0]).toBeLessThanOrEqual(units);
  }

  describe.each(EVERY_ALGORITHM)("a refund of $algorithm", (facts) => {
    const { of, refills } = facts;
    const policy = of(5, DAY);

    test("gives back some of the taken units, and another client may take those", async () => {
      const { ask, take, giveBack } = partition(policy);
      const reply = await take(5);
      expect((await ask("consume"))[0]!.allowed).toBe(false);
      expectGiven(await giveBack(reply, 3), 3, facts);
      expect(left(await ask("peek"))).toEqual([3]);
      expect((await ask("consume", 4))[0]!.allowed).toBe(false);
      expect((await ask("consume", 3))[0]!.allowed).toBe(true);
    });

    test("gives back the rest later", async () => {
      const { ask, take, giveBack } = partition(policy);
      const reply = await take(4);
      expectGiven(await giveBack(reply, 1), 1, facts);
      expect(left(await ask("peek"))).toEqual([2]);
      await giveBack(reply, 3);
      const [row] = await ask("peek");
      expect(row).toMatchObject({ allowed: true, retryAfterUs: 0 });
      // A bucket keeps the units that it refilled before the first of two refunds, with both of them.
      expect(refills ? [4, 5] : [5]).toContain(row!.remaining);
    });

    test("of more than was taken gives at most that", async () => {
      const { ask, take, giveBack } = partition(policy);
      const reply = await take(2);
      expectGiven(await giveBack(reply, 5), 2, facts);
      expect((await ask("peek", 5))[0]).toEqual({
        allowed: true,
        remaining: 5,
        retryAfterUs: 0,
        resetAfterUs: 0,
      });
      expect(await giveBack(reply, 5)).toEqual([0]);
      expect(left(await ask("consume"))).toEqual([4]);
    });

    test("of 0 units, or of units that were not taken, gives nothing", async () => {
      const { ask, take, giveBack, reset } = partition(policy);
      const reply = await take(3);
      expect(await giveBack(reply, 0)).toEqual([0]);
      expect(left(await ask("peek"))).toEqual([2]);
      await reset();
      expect(await giveBack(reply, 3)).toEqual([0]);
      expect(left(await ask("peek"))).toEqual([5]);
    });

    test("of units taken in a future time gives nothing", async () => {
      const { ask, take, giveBack } = partition(policy);
      const { nowUs, ...reply } = await take(3);
      expect(await giveBack({ ...reply, nowUs: nowUs + 3_600e6 }, 3)).toEqual([0]);
      expect(left(await ask("peek"))).toEqual([2]);
    });

    test("after the window gives nothing", async () => {
      const { ask, take, giveBack } = partition(of(5, "100ms"));
      const reply = await take(5);
      const waitMs = Math.ceil(reply.rows[0]!.resetAfterUs / 1000) + 1;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      expect(await giveBack(reply, 5)).toEqual([0]);
      expect(left(await ask("peek"))).toEqual([5]);
      expect((await ask("consume", 5))[0]!.allowed).toBe(true);
    });
  });

  describe("a refund of several policies", () => {
    const five = slidingWindowLog({ name: "five", limit: 5, window: "1d" });
    const nine = fixedWindow({ name: "nine", limit: 9, window: "1d" });

    test.for([
      { policies: [five, nine], taken: [3, 7], back: [2, 6] },
      { policies: [nine, five], taken: [7, 3], back: [6, 2] },
    ])("gives each what it has taken, in their order: $back", async ({ policies, taken, back }) => {
      const { ask, take, giveBack } = partition(...policies);
      const reply = await take(taken);
      expect(await giveBack(reply, back)).toEqual(back);
      expect(left(await ask("peek"))).toEqual(
        policies.map(({ limit }, i) => limit - taken[i]! + back[i]!),
      );
    });

    test("gives nothing to a policy whose cost is 0", async () => {
      const { ask, take, giveBack } = partition(five, nine);
      const reply = await take([3, 7]);
      expect(await giveBack(reply, [0, 7])).toEqual([0, 7]);
      expect(left(await ask("peek"))).toEqual([2, 9]);
    });

    test("gives back of every algorithm at once", async () => {
      const { ask, take, giveBack } = partition(...EVERY_ALGORITHM.map(({ of }) => of(5, DAY)));
      const given = await giveBack(await take(4), 3);
      expect(given).toHaveLength(EVERY_ALGORITHM.length);
      EVERY_ALGORITHM.forEach((facts, i) => expectGiven([given[i]!], 3, facts));
      expect(left(await ask("peek"))).toEqual(EVERY_ALGORITHM.map(() => 4));
    });
  });
}
