import { expect, test } from "vitest";

import { splitStore } from "../../src/store/cluster/split-store.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import {
  CLOCKS,
  type Counted,
  counted,
  LOST,
  type PartCall,
  scriptedParts,
  tagOf,
} from "./scripted-parts.ts";

/* Units taken from several partitions are given back. Partitions `a`, `b` and `*` have three hash slots. */

const FOUR: readonly Counted[] = [
  ["a", "address"],
  ["b", "key"],
  ["*", "all"],
  ["b", "hour"],
];

const told = ({ call, keys, costs, takenAtUs }: PartCall) =>
  `${call} ${keys.map((key) => key.slice(3)).join(" ")} ${costs!.join()} of ${takenAtUs}`;

/** A store that has taken 5 of each policy, and the calls since. */
async function taken() {
  const scripted = scriptedParts();
  const { keys, policies } = counted(FOUR);
  const store = splitStore(scripted.store);
  const reply = await store.decide("consume", keys, [5, 5, 5, 5], policies);
  scripted.calls.length = 0;
  return {
    ...scripted,
    reply,
    giveBack: async (costs: readonly number[]) => store.refund!(keys, costs, policies, reply),
    said: () => scripted.calls.map(told),
  };
}

test("a Cluster gives each slot back by the clock of the master that took", async () => {
  const { giveBack, said, reply } = await taken();
  expect(reply.clocksUs).toEqual([CLOCKS["a"], CLOCKS["b"], CLOCKS["*"], CLOCKS["b"]]);
  expect(reply.nowUs).toBe(CLOCKS["*"]);
  expect(await giveBack([1, 2, 3, 4])).toEqual([1, 2, 3, 4]);
  expect(said()).toEqual([
    `refund {a}:address 1 of ${CLOCKS["a"]}`,
    `refund {b}:key {b}:hour 2,4 of ${CLOCKS["b"]}`,
    `refund {*}:all 3 of ${CLOCKS["*"]}`,
  ]);
});

test("a slot without a refund is not asked", async () => {
  const { giveBack, said } = await taken();
  expect(await giveBack([0, 0, 0, 4])).toEqual([0, 0, 0, 4]);
  expect(said()).toEqual([`refund {b}:hour 4 of ${CLOCKS["b"]}`]);
  expect(await giveBack([0, 0, 0, 0])).toEqual([0, 0, 0, 0]);
  expect(said()).toHaveLength(1);
});

test("slots are asked side by side, and the numbers come in the order of the policies", async () => {
  const { store: inner } = scriptedParts();
  const { keys, policies } = counted(FOUR);
  const asked: (() => void)[] = [];
  const store = splitStore({
    ...inner,
    refund: async (part, costs, ...rest) => {
      await inner.refund!(part, costs, ...rest);
      await new Promise<void>((resolve) => asked.push(resolve));
      return costs.map((cost) => cost - 1);
    },
  });
  const reply = await store.decide("consume", keys, [5, 5, 5, 5], policies);
  const given = Promise.resolve(store.refund!(keys, [5, 4, 3, 2], policies, reply));
  for (let step = 0; step < 100 && asked.length < 3; step++) await Promise.resolve();
  expect(asked).toHaveLength(3);
  for (const answer of asked.toReversed()) answer();
  expect(await given).toEqual([4, 3, 2, 1]);
});

test("one slot that does not answer fails the refund, after the others have given back", async () => {
  const { store: inner } = scriptedParts();
  const { keys, policies } = counted(FOUR);
  const ended: string[] = [];
  const store = splitStore({
    ...inner,
    refund: async (part, costs) => {
      if (tagOf(part[0]!) === "a") throw LOST;
      for (let step = 0; step < 20; step++) await Promise.resolve();
      ended.push(tagOf(part[0]!));
      return costs;
    },
  });
  const reply = await store.decide("consume", keys, [5, 5, 5, 5], policies);
  await expect(store.refund!(keys, [1, 1, 1, 1], policies, reply)).rejects.toMatchObject({
    code: LOST.code,
    refunded: [0, 1, 1, 1],
  });
  expect(ended).toEqual(["b", "*"]);
});

test("a store that gives nothing back gives nothing back in parts", () => {
  const { refund: _refund, ...without } = openMemoryStore();
  expect(splitStore(without)).not.toHaveProperty("refund");
});
