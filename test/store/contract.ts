import { describe, expect, test } from "vitest";

import type { Row } from "../../src/algorithms/model.ts";
import { fixedWindow, slidingWindowLog, type Store, tokenBucket } from "../../src/index.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compile } from "../support/compile-policy.ts";
import { partitionsOf } from "./partition.ts";
import { refundContract } from "./refund-contract.ts";

/** A window of a day has no boundary within a test, but for one second of the day. */
const DAY = "1d";

/** The promises of every store of any kind. `open` gives the store under test, the same one each time. */
export function storeContract(open: () => Store): void {
  const everyAlgorithm = EVERY_ALGORITHM.map(({ of }) => of(5, DAY));

  const partition = partitionsOf(open);

  describe.each(EVERY_ALGORITHM)("$algorithm", ({ of }) => {
    const policy = of(5, DAY);

    test("gives out the limit, then denies and says for how long", async () => {
      const { ask } = partition(policy);
      for (const remaining of [4, 3, 2, 1, 0]) {
        expect((await ask("consume"))[0]).toMatchObject({ allowed: true, remaining });
      }
      const [denied] = await ask("consume");
      expect(denied).toMatchObject({ allowed: false, remaining: 0 });
      expect(denied!.retryAfterUs).toBeGreaterThan(0);
      expect(denied!.resetAfterUs).toBeGreaterThanOrEqual(denied!.retryAfterUs);
    });

    test("says with the last allowed request that the next one waits", async () => {
      const { ask } = partition(policy);
      expect((await ask("consume", 4))[0]!.retryAfterUs).toBeGreaterThan(0);
      const [last] = await ask("consume");
      expect(last).toMatchObject({ allowed: true, remaining: 0 });
      expect(last!.retryAfterUs).toBeGreaterThan(0);
    });

    test("denies a cost that has no room, and takes nothing for it", async () => {
      const { ask } = partition(policy);
      await ask("consume", 3);
      expect((await ask("consume", 3))[0]).toMatchObject({ allowed: false, remaining: 2 });
      expect((await ask("consume", 2))[0]).toMatchObject({ allowed: true, remaining: 0 });
    });

    test("tells the verdict that a request would get, and takes nothing for it", async () => {
      const { ask } = partition(policy);
      expect((await ask("peek"))[0]).toEqual({
        allowed: true,
        remaining: 5,
        retryAfterUs: 0,
        resetAfterUs: 0,
      });
      await ask("consume", 4);
      expect((await ask("peek", 2))[0]).toMatchObject({ allowed: false, remaining: 1 });
      expect((await ask("peek"))[0]).toMatchObject({
        allowed: true,
        remaining: 1,
        retryAfterUs: 0,
      });
    });

    test("charges any rest, into debt", async () => {
      const { ask } = partition(policy);
      expect((await ask("charge", 3))[0]).toMatchObject({
        allowed: true,
        remaining: 2,
        retryAfterUs: 0,
      });
      const [over] = await ask("charge", 4);
      expect(over).toMatchObject({ allowed: false, remaining: 0 });
      expect(over!.retryAfterUs).toBeGreaterThan(0);
      // However much is charged, the debt has a bound.
      const [absurd] = await ask("charge", Number.MAX_SAFE_INTEGER);
      expect(absurd!.remaining).toBe(0);
      expect(absurd!.retryAfterUs).toBeLessThanOrEqual(2 * 86_400e6);
      expect((await ask("consume"))[0]!.allowed).toBe(false);
    });

    test("leases as much as is wanted and left, then denies", async () => {
      const { ask, lease } = partition(policy);
      expect(await lease(3)).toMatchObject({
        leased: 3,
        rows: [{ allowed: true, remaining: 2, retryAfterUs: 0 }],
      });
      const { leased, rows } = await lease(Number.MAX_SAFE_INTEGER);
      expect(leased).toBe(2);
      expect(rows[0]).toMatchObject({ allowed: true, remaining: 0 });
      expect(rows[0]!.retryAfterUs).toBeGreaterThan(0);
      const denied = await lease(1);
      expect(denied).toMatchObject({ leased: 0, rows: [{ allowed: false, remaining: 0 }] });
      expect(denied.rows[0]!.retryAfterUs).toBeGreaterThan(0);
      expect((await ask("peek"))[0]).toMatchObject({ allowed: false, remaining: 0 });
    });

    test("forgets on reset", async () => {
      const { ask, reset } = partition(policy);
      await ask("consume", 5);
      await reset();
      expect((await ask("peek"))[0]).toMatchObject({ allowed: true, remaining: 5 });
      await reset();
      expect((await ask("consume"))[0]).toMatchObject({ allowed: true, remaining: 4 });
    });

    test("counts concurrent requests exactly", async () => {
      const { ask } = partition(policy);
      const rows = await Promise.all(Array.from({ length: 40 }, () => ask("consume")));
      expect(rows.filter(([row]) => row!.allowed)).toHaveLength(5);
    });

    test("lets the one who waits as told pass", async () => {
      const { ask } = partition(of(5, "200ms"));
      let row: Row;
      do {
        row = (await ask("consume"))[0]!;
      } while (row.retryAfterUs === 0);
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(row.retryAfterUs / 1000) + 1));
      expect((await ask("consume"))[0]!.allowed).toBe(true);
    });
  });

  describe("several policies", () => {
    const five = slidingWindowLog({ name: "five", limit: 5, window: "1d" });
    const three = fixedWindow({ name: "three", limit: 3, window: "1d" });
    const ten = tokenBucket({ name: "ten", limit: 10, refill: 1, per: "1d" });

    test.for([
      [five, three, ten],
      [three, ten, five],
      [ten, five, three],
    ])("take a request together or not at all, in any order", async (policies) => {
      const { ask } = partition(...policies);
      for (let taken = 1; taken <= 3; taken++) {
        const rows = await ask("consume");
        expect(rows.map(({ remaining }) => remaining)).toEqual(
          policies.map(({ limit }) => limit - taken),
        );
        expect(rows.every(({ allowed }) => allowed)).toBe(true);
      }
      const denied = await ask("consume");
      expect(denied.map(({ remaining }) => remaining)).toEqual(
        policies.map(({ limit }) => limit - 3),
      );
      expect(denied.map(({ allowed }) => allowed)).toEqual(policies.map(({ limit }) => limit > 3));
      expect(denied.map(({ retryAfterUs }) => retryAfterUs > 0)).toEqual(
        policies.map(({ limit }) => limit === 3),
      );
    });

    test("are charged together, each as far as it has room or not", async () => {
      const { ask } = partition(five, three);
      const rows = await ask("charge", 4);
      expect(rows).toMatchObject([
        { allowed: true, remaining: 1 },
        { allowed: false, remaining: 0 },
      ]);
    });

    test("lease together the units that the one with the least left has", async () => {
      const { ask, lease } = partition(five, three, ten);
      await ask("consume");
      expect(await lease(4)).toMatchObject({
        leased: 2,
        rows: [
          { allowed: true, remaining: 2, retryAfterUs: 0 },
          { allowed: true, remaining: 0 },
          { allowed: true, remaining: 7, retryAfterUs: 0 },
        ],
      });
      expect(await lease(4)).toMatchObject({
        leased: 0,
        rows: [
          { allowed: true, remaining: 2 },
          { allowed: false, remaining: 0 },
          { allowed: true, remaining: 7 },
        ],
      });
    });

    test("with sixteen of them, too", async () => {
      const { ask } = partition(
        ...Array.from({ length: 16 }, (_, i) =>
          fixedWindow({ name: `p${i}`, limit: 20 - i, window: "1d" }),
        ),
      );
      expect((await ask("consume", 5)).map(({ remaining }) => remaining)).toEqual(
        Array.from({ length: 16 }, (_, i) => 15 - i),
      );
      expect((await ask("consume", 1)).every(({ remaining }, i) => remaining === 15 - i)).toBe(
        true,
      );
    });
  });

  describe("a cost for each policy", () => {
    const five = slidingWindowLog({ name: "five", limit: 5, window: "1d" });
    const ten = tokenBucket({ name: "ten", limit: 10, refill: 1, per: "1d" });
    const left = (rows: readonly Row[]) => rows.map(({ remaining }) => remaining);

    test("is taken from that policy alone", async () => {
      const { ask } = partition(five, ten);
      expect(left(await ask("consume", [1, 7]))).toEqual([4, 3]);
      expect(await ask("peek", [4, 4])).toMatchObject([{ allowed: true }, { allowed: false }]);
      expect(await ask("consume", [5, 1])).toMatchObject([{ allowed: false }, { allowed: true }]);
      expect(left(await ask("consume", [4, 3]))).toEqual([0, 0]);
      expect(left(await ask("charge", [0, 2]))).toEqual([0, 0]);
    });

    test.for(everyAlgorithm)(
      "of 0 takes nothing from a $algorithm, and is allowed",
      async (policy) => {
        for (const policies of [[policy, ten] as const, [ten, policy] as const]) {
          const { ask } = partition(...policies);
          const costs = policies.map((each) => (each === policy ? 0 : 1));
          const own = policies.indexOf(policy);
          const unused = { allowed: true, remaining: 5, retryAfterUs: 0, resetAfterUs: 0 };
          for (const operation of ["consume", "charge", "peek"] as const) {
            expect((await ask(operation, costs))[own]).toEqual(unused);
          }
          const spend = costs.map((cost) => 5 * (1 - cost));
          await ask("charge", spend);
          expect((await ask("consume", costs))[own]).toMatchObject({ allowed: true, remaining: 0 });
          expect((await ask("peek"))[own]).toMatchObject({ allowed: false });
        }
      },
    );
  });

  describe.each(everyAlgorithm)("an advisory $algorithm", (policy) => {
    const strict = tokenBucket({ name: "strict", limit: 10, refill: 1, per: "1d" });

    test.for(["shadow", "soft"] as const)(
      "in mode %s takes the units that it has room for, and denies no client",
      async (mode) => {
        const advisory = { ...policy, name: "advisory", mode };
        for (const policies of [[advisory, strict] as const, [strict, advisory] as const]) {
          const { ask } = partition(...policies);
          const own = policies.indexOf(advisory as never);
          const other = 1 - own;
          const costs = (advice: number, enforced: number) =>
            own === 0 ? [advice, enforced] : [enforced, advice];
          expect((await ask("consume", costs(3, 1)))[own]).toMatchObject({ remaining: 2 });
          // No room for three: the request passes all the same, and takes nothing here.
          const over = await ask("consume", costs(3, 1));
          expect(over[own]).toMatchObject({ allowed: false, remaining: 2 });
          expect(over[other]).toMatchObject({ allowed: true, remaining: 8 });
          // Denied by the other: no unit is taken here, though there is room.
          const denied = await ask("consume", costs(2, 9));
          expect(denied[own]).toMatchObject({ allowed: true, remaining: 2 });
          expect(denied[other]).toMatchObject({ allowed: false, remaining: 8 });
          expect((await ask("consume", costs(2, 1)))[own]).toMatchObject({ remaining: 0 });
        }
      },
    );

    test("is charged with a lease as far as it has room, and makes none smaller", async () => {
      const advisory = { ...policy, name: "advisory", mode: "shadow" } as const;
      for (const policies of [[advisory, strict] as const, [strict, advisory] as const]) {
        const { lease } = partition(...policies);
        const own = policies.indexOf(advisory as never);
        const first = await lease(4);
        expect([first.leased, first.rows[own]!.remaining]).toEqual([4, 1]);
        const second = await lease(3);
        expect([second.leased, second.rows[own]!.remaining]).toEqual([3, 0]);
        const third = await lease(9);
        expect(third.leased).toBe(3);
        expect(third.rows[own]).toMatchObject({ allowed: false, remaining: 0 });
        expect(third.rows[1 - own]).toMatchObject({ remaining: 0 });
      }
    });
  });

  describe.each(everyAlgorithm)("a $algorithm of three that counts denials", (policy) => {
    const gate = fixedWindow({ name: "gate", limit: 2, window: "1d" });
    const ban = { ...policy, name: "ban", limit: 3, counts: "denials" } as const;

    test.for([
      { order: "first", policies: [ban, gate] },
      { order: "last", policies: [gate, ban] },
    ])("counts one for each denial of others, and then denies itself ($order)", async (given) => {
      const policies = given.policies as Parameters<typeof compile>[0];
      const { ask } = partition(...policies);
      const own = policies.findIndex(({ name }) => name === "ban");
      const other = 1 - own;
      const request = (counted: number, cost: number) =>
        ask("consume", own === 0 ? [counted, cost] : [cost, counted]);
      for (let i = 0; i < 2; i++) {
        expect((await request(0, 1))[own]).toMatchObject({ allowed: true, remaining: 3 });
      }
      for (const remaining of [2, 1, 0]) {
        const rows = await request(0, 1);
        expect(rows[own]).toMatchObject({ allowed: true, remaining });
        expect(rows[other]).toMatchObject({ allowed: false });
      }
      // Now it denies what costs the other nothing, and its own denial is not counted.
      const banned = await request(0, 0);
      expect(banned[own]).toMatchObject({ allowed: false, remaining: 0 });
      expect(banned[own]!.retryAfterUs).toBeGreaterThan(0);
      expect(banned[other]).toMatchObject({ allowed: true, remaining: 0 });
      const again = await request(0, 0);
      expect(again[own]!.resetAfterUs).toBeLessThanOrEqual(banned[own]!.resetAfterUs);
    });

    test("takes what its cost says, whether the request passes or not", async () => {
      const { ask } = partition(gate, ban);
      expect((await ask("consume", [1, 2]))[1]).toMatchObject({ allowed: true, remaining: 1 });
      // The second one from its cost leaves no room.
      const full = await ask("consume", [1, 1]);
      expect(full).toMatchObject([
        { allowed: true, remaining: 1 },
        { allowed: false, remaining: 0 },
      ]);
      // No unit was taken, because it was denied.
      expect((await ask("peek", [1, 0]))[0]).toMatchObject({ allowed: true, remaining: 1 });
    });

    test("is not touched by a look or a charge", async () => {
      const { ask } = partition(gate, ban);
      for (const operation of ["peek", "charge", "charge", "charge", "peek"] as const) {
        const [, row] = await ask(operation, [2, 1]);
        expect(row).toEqual({ allowed: true, remaining: 3, retryAfterUs: 0, resetAfterUs: 0 });
      }
    });
  });

  test("partitions do not know each other", async () => {
    const policy = fixedWindow({ limit: 1, window: "1d" });
    expect((await partition(policy).ask("consume"))[0]!.allowed).toBe(true);
    expect((await partition(policy).ask("consume"))[0]!.allowed).toBe(true);
  });

  test("the answer carries the store's clock", async () => {
    const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
    const { nowUs } = await open().decide(
      "peek",
      [`tg:{${crypto.randomUUID()}}:clock`],
      [1],
      policies,
    );
    expect(Math.abs(nowUs / 1000 - Date.now())).toBeLessThan(60_000);
  });

  refundContract(open);
}
