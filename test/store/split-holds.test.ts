import { expect, test } from "vitest";

import { concurrency, fixedWindow, memoryStore, StoreError } from "../../src/index.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { CrossSlotError } from "../../src/store/redis/errors.ts";
import type { Slot, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";

const LOST = new StoreError("ERR_STORE_TIMEOUT", "Redis did not answer within 250 ms.");
const slot: Slot = { id: "x", ttlUs: 60e6 };
const policies = compile([
  concurrency({ name: "first", limit: 5 }),
  concurrency({ name: "second", limit: 5 }),
  fixedWindow({ name: "third", limit: 5, window: "1h" }),
]);
const keys = ["tg:{a}:first", "tg:{b}:second", "tg:{a}:third"];

/** Masters that hold no slot under the keys of `without`, and do not answer for those of `dead`. */
function masters({ without = "", dead = "", cluster = true } = {}) {
  const calls: string[] = [];
  const asked = (call: string, of: readonly string[], more: readonly unknown[]) => {
    calls.push(`${call} ${of.map((key) => key.slice(3)).join(" ")} ${more.join(" ")}`);
    if (cluster && new Set(of.map(hashSlot)).size > 1) throw new CrossSlotError();
    if (of[0]!.includes(dead || "none")) throw LOST;
  };
  const store: Store = {
    async decide(operation, of, costs, _policies, given) {
      asked(operation, of, [costs, given?.id]);
      const allowed = !of[0]!.includes(without || "none");
      const row = { allowed, remaining: 1, retryAfterUs: 0, resetAfterUs: 9 };
      return { nowUs: 7, rows: of.map(() => row) };
    },
    async refund(of, costs, _policies, { nowUs }, given) {
      asked("refund", of, [costs, nowUs, given?.id]);
      return costs;
    },
    async extend(of, ofPolicies, given) {
      asked("extend", of, [given.id]);
      return ofPolicies.map(({ name }) => !without.includes(name));
    },
    reset: () => {},
  };
  return { calls, store: splitStore(store) };
}

test("one Redis gets a refund and an extension in one call each", async () => {
  const { calls, store } = masters({ cluster: false });
  await store.refund!(keys, [1, 2, 3], policies, { nowUs: 7 }, slot);
  expect(await store.extend!(keys, policies, slot)).toEqual([true, true, true]);
  expect(calls).toEqual([
    "refund {a}:first {b}:second {a}:third 1,2,3 7 x",
    "extend {a}:first {b}:second {a}:third x",
  ]);
});

test("a Cluster gets one of each for every slot, and the answers come in the order of the policies", async () => {
  const { calls, store } = masters({ without: "first second" });
  await store.refund!(keys, [1, 2, 3], policies, { nowUs: 7 }, slot);
  expect(calls.slice(1)).toEqual(["refund {a}:first {a}:third 1,3 7 x", "refund {b}:second 2 7 x"]);
  expect(await store.extend!(keys, policies, slot)).toEqual([false, false, true]);
  expect(calls.slice(3)).toEqual(["extend {a}:first {a}:third x", "extend {b}:second x"]);
});

test("a slot that has expired decides an extension, though another master does not answer", async () => {
  const { store } = masters({ without: "first", dead: "{b}" });
  expect(await store.extend!(keys, policies, slot)).toEqual([false, true, true]);
  const silent = masters({ dead: "{b}" });
  await expect(Promise.resolve(silent.store.extend!(keys, policies, slot))).rejects.toBe(LOST);
});

test("a refund asks a master without slots only for units taken there", async () => {
  const { calls, store } = masters();
  const two = [policies[0]!, policies[2]!];
  const apart = ["tg:{a}:first", "tg:{b}:third"];
  await store.refund!(apart, [1, 1], two, { nowUs: 7 }, slot);
  calls.length = 0;
  expect(await store.refund!(apart, [0, 0], two, { nowUs: 7 }, slot)).toEqual([0, 0]);
  expect(calls).toEqual(["refund {a}:first 0 7 x"]);
});

test("a slot is taken on each master, and given back with its id where another has none", async () => {
  const { calls, store } = masters({ without: "second" });
  const { rows } = await store.decide("consume", keys, [1, 1, 3], policies, slot);
  expect(calls.slice(1)).toEqual([
    "consume {a}:first {a}:third 1,3 x",
    "consume {b}:second 1 x",
    "refund {a}:first {a}:third 1,3 7 x",
  ]);
  expect(rows.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 2],
    [false, 1],
    [true, 4],
  ]);
});

test("a hold of a cost above 1 gives one slot back, as it has taken one", async () => {
  const { store } = masters({ without: "second" });
  const { rows } = await store.decide("consume", keys, [4, 1, 3], policies, slot);
  expect(rows[0]).toMatchObject({ allowed: true, remaining: 2 });
});

test.for(["refund", "extend"] as const)(
  "where one master does not answer, a %s is still sent to the others, and fails",
  async (call) => {
    const { calls, store } = masters({ dead: "first" });
    const answer =
      call === "refund"
        ? store.refund!(keys, [1, 1, 1], policies, { nowUs: 7 }, slot)
        : store.extend!(keys, policies, slot);
    await expect(answer).rejects.toMatchObject(
      call === "refund" ? { failures: expect.arrayContaining([LOST]) } : LOST,
    );
    expect(calls).toHaveLength(3);
  },
);

test("in memory, too, a slot that is extended is kept, and one that has expired is not", async () => {
  let nowUs = 1.8e15;
  const memory = memoryStore({ now: () => nowUs });
  const [streams] = policies;
  const own = ["tg:{a}:first", "tg:{a}:third"];
  const both = [streams!, policies[2]!];
  await memory.decide("consume", own, [1, 1], both, slot);
  await memory.decide("consume", own, [1, 1], both, { id: "y", ttlUs: 60e6 });
  nowUs += 40e6;
  expect(await memory.extend!(own, both, slot)).toEqual([true, true]);
  nowUs += 20e6;
  expect(await memory.extend!(own, both, { id: "y", ttlUs: 60e6 })).toEqual([false, true]);
  const { rows } = await memory.decide("peek", own, [1, 1], both);
  expect(rows).toMatchObject([{ remaining: 4, resetAfterUs: 40e6 }, { remaining: 3 }]);
  expect(await memory.extend!(["tg:{c}:first"], [streams!], slot)).toEqual([false]);
});

test("slots in memory count as the bytes that they take", async () => {
  // An entry of 300 bytes, and 140 for each slot: three keys of ten slots fit, and a fourth does not.
  const memory = memoryStore({ now: () => 1.8e15, maxBytes: 3 * (300 + 20 + 10 * 140) });
  const many = compile([concurrency({ limit: 10 })]);
  const left = async (key: string) =>
    (await memory.decide("peek", [key], [1], many)).rows[0]!.remaining;
  const fill = async (key: string) => {
    for (let i = 0; i < 10; i++) {
      await memory.decide("consume", [key], [1], many, { id: `${key}-${i}`, ttlUs: 60e6 });
    }
  };
  for (const key of ["a", "b", "c"]) await fill(key);
  expect(await left("a")).toBe(0);
  await fill("d");
  expect(await left("b")).toBe(10);
  expect(await left("d")).toBe(0);
});
