import { describe, expect, test } from "vitest";

import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { concurrency, fixedWindow } from "../../src/index.ts";
import { Faults } from "../../src/options/faults.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Slot, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { ownCluster, ownRedis, TOKEN } from "../support/own-redis.ts";
import { EVERY_PART } from "../support/store/every-part.ts";

const slotOf = (id: string | number, ttlUs = 60e6): Slot => ({ id: `${id}`, ttlUs });

/** As a limiter opens it. */
function storeOn({ url }: Bridge): Store {
  const faults = new Faults();
  const store = openStore({ redis: { url, token: TOKEN }, timeout: "10s" }, EVERY_PART, {}, faults);
  faults.throwIfAny();
  return store!;
}

/** A list of policies in one partition, or each in one of its own. */
function holdsOn(store: Store, policies = BOTH, apart = false) {
  const id = crypto.randomUUID();
  const keys = policies.map(({ key, name }) => `tg:{${id}${apart ? name : ""}}:${key}`);
  const units = (count: number) => policies.map(() => count);
  const left = async () => {
    const { rows } = await store.decide("peek", keys, units(1), policies);
    return rows.map(({ remaining }) => remaining);
  };
  return {
    keys,
    left,
    take: (slot?: Slot, cost = 1) => store.decide("consume", keys, units(cost), policies, slot),
    end: (slot: Slot, nowUs: number, cost = 1) =>
      store.refund!(keys, units(cost), policies, { nowUs }, slot),
    extend: (slot: Slot) => store.extend!(keys, policies, slot),
  };
}

const STREAMS = concurrency({ name: "streams", limit: 3 });
const DAILY = fixedWindow({ name: "daily", limit: 100, window: "1d" });
const BOTH = compile([STREAMS, DAILY]);

function slotsOfStore(open: () => Store): void {
  test("a hold takes a slot together with its other costs, and gives both back with one call", async () => {
    const { take, end, left } = holdsOn(open());
    const { nowUs, rows } = await take(slotOf("a"));
    expect(rows.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 99],
    ]);
    expect(await left()).toEqual([2, 99]);
    await end(slotOf("a"), nowUs);
    expect(await left()).toEqual([3, 100]);
  });

  test("without a free slot nothing is taken at all, and without a slot to take none is", async () => {
    const { take, left } = holdsOn(open());
    for (const id of ["a", "b", "c"]) await take(slotOf(id));
    const { rows } = await take(slotOf("d"));
    expect(rows.map(({ allowed }) => allowed)).toEqual([false, true]);
    expect(rows[0]!.retryAfterUs).toBeGreaterThan(0);
    expect(await left()).toEqual([0, 97]);
    const other = holdsOn(open());
    await other.take();
    expect(await other.left()).toEqual([3, 99]);
  });

  test("no slot is taken where another policy denies", async () => {
    const policies = compile([STREAMS, { ...DAILY, limit: 1 }]);
    const { take, left } = holdsOn(open(), policies);
    await take(slotOf("a"));
    const { rows } = await take(slotOf("b"));
    expect(rows.map(({ allowed }) => allowed)).toEqual([true, false]);
    expect(await left()).toEqual([2, 0]);
  });

  test("a policy alone has slots, too", async () => {
    const { take, end, extend, left } = holdsOn(open(), compile([STREAMS]));
    const { nowUs } = await take(slotOf("a"));
    expect(await left()).toEqual([2]);
    expect(await extend(slotOf("a"))).toEqual([true]);
    await end(slotOf("a"), nowUs, 0);
    expect(await left()).toEqual([3]);
    expect(await extend(slotOf("a"))).toEqual([false]);
  });

  test("slots that two holds take at once are two", async () => {
    const { take, left } = holdsOn(open());
    const replies = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => (await take(slotOf(i))).rows),
    );
    expect(replies.filter((rows) => rows[0]!.allowed)).toHaveLength(3);
    expect(await left()).toEqual([0, 97]);
  });

  test("a hold is extended where it has slots; elsewhere there is nothing to extend", async () => {
    const { take, extend } = holdsOn(open());
    await take(slotOf("a", 1e6));
    expect(await extend(slotOf("a"))).toEqual([true, true]);
    expect(await extend(slotOf("b"))).toEqual([false, true]);
    expect((await take(slotOf("c"), 0)).rows[0]!.resetAfterUs).toBeGreaterThan(50e6);
  });
}

describe.each([{ emulate: undefined }, { emulate: "upstash" as const }])(
  "one server, emulating $emulate",
  ({ emulate }) => {
    const own = ownRedis(emulate);
    slotsOfStore(() => storeOn(own.bridge));

    test("five thousand slots are all taken, mended after a step back, and given back", async () => {
      const policies = compile([concurrency({ name: "many", limit: 5_000 })]);
      const { keys, take, end, extend, left } = holdsOn(storeOn(own.bridge), policies);
      const { redis } = own;
      const soonUs = Date.now() * 1000 + 30e6;
      // All but one as the script writes them: one call for each would only take longer.
      const slots = Array.from({ length: 4_999 }, (_, i) => [soonUs + i, `${i}`]);
      await redis.zadd(keys[0]!, ...slots.flat());
      expect(await left()).toEqual([1]);
      const { nowUs } = await take(slotOf("last"));
      expect((await take(slotOf("none"))).rows[0]!.allowed).toBe(false);
      // Two hours ahead, as after a step back.
      await redis.zadd(keys[0]!, ...slots.flatMap(([us, id]) => [Number(us) + 7_200e6, id!]));
      for (const beyond of [3_999, 2_999, 1_999, 999, 0]) {
        const { rows, nowUs: laterUs } = await take(slotOf("none"));
        expect(rows[0]).toMatchObject({ allowed: false, remaining: 0, resetAfterUs: 60e6 });
        expect(rows[0]!.retryAfterUs).toBeLessThanOrEqual(60e6);
        expect(await redis.zcount(keys[0]!, laterUs + 60e6 + 1, "+inf")).toBe(beyond);
      }
      expect(await redis.zcard(keys[0]!)).toBe(5_000);
      expect(await extend(slotOf("77"))).toEqual([true]);
      await end(slotOf("last"), nowUs);
      expect(await left()).toEqual([1]);
    });
  },
);

describe("a cluster of three masters", () => {
  const own = ownCluster();
  slotsOfStore(() => storeOn(own.bridge));

  const apart = compile([
    STREAMS,
    { ...STREAMS, name: "of-all", limit: 5 },
    { ...DAILY, limit: 4 },
  ]);

  test("partitions on several masters give their slots back when one has none", async () => {
    const store = storeOn(own.bridge);
    for (let partition = 0; partition < 5; partition++) {
      const { take, end, extend, left } = holdsOn(store, apart, true);
      const taken = await Promise.all(["a", "b", "c"].map((id) => take(slotOf(id))));
      expect(taken.flatMap(({ rows }) => rows).every(({ allowed }) => allowed)).toBe(true);
      const denied = await take(slotOf("d"));
      expect(denied.rows.map(({ remaining }) => remaining)).toEqual([0, 2, 1]);
      expect(await left()).toEqual([0, 2, 1]);
      expect(await extend(slotOf("b"))).toEqual([true, true, true]);
      expect(await extend(slotOf("d"))).toEqual([false, false, true]);
      await end(slotOf("b"), taken[1]!.nowUs);
      expect(await left()).toEqual([1, 3, 2]);
    }
  });
});
