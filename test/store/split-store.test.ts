import { expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { StoreError } from "../../src/options/errors.ts";
import { SLOTS } from "../../src/store/breaker.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { PartialReplyError } from "../../src/store/partial-reply.ts";
import {
  CLOCKS,
  type Counted,
  counted,
  LOST,
  type PartCall,
  scriptedParts,
  tagOf,
} from "./scripted-parts.ts";

/* Partitions `a`, `b` and `*` have three hash slots. */

/** A call without the policies, and with the short names of its keys. */
function told({ call, keys, costs, takenAtUs }: PartCall) {
  const names = keys.map((key) => key.slice(3)).join(" ");
  const cost = costs ? ` ${costs.join()}` : "";
  return `${call} ${names}${cost}${takenAtUs === undefined ? "" : ` of ${takenAtUs}`}`;
}

/** Waits for two calls, which are a few steps away: a loop without an end would hang, because no timer comes in between. */
async function untilTwo(calls: readonly PartCall[]): Promise<void> {
  for (let step = 0; step < 100 && calls.length < 2; step++) await Promise.resolve();
  expect(calls).toHaveLength(2);
}

/** A store that has already learnt that it splits, unless `fresh`. */
async function split(given: readonly Counted[], { fresh = false } = {}) {
  const scripted = scriptedParts();
  const { keys, policies } = counted(given);
  const store = splitStore(scripted.store);
  if (!fresh) await store.spansPartitions!("tg");
  scripted.calls.length = 0;
  let before = 0;
  const ask = (costs: readonly number[], operation: Operation = "consume") => {
    before = scripted.calls.length;
    return Promise.resolve(store.decide(operation, keys, costs, policies));
  };
  return {
    ...scripted,
    store,
    keys,
    policies,
    ask,
    /** What a decision fails with of which some master did not answer. */
    failing: async (costs: readonly number[], operation?: Operation): Promise<PartialReplyError> =>
      ask(costs, operation).then(
        () => expect.unreachable(),
        (error) => error,
      ),
    said: () => scripted.calls.map(told),
    /** The calls since the last decision began. */
    saidNow: () => scripted.calls.slice(before).map(told),
  };
}

const THREE: readonly Counted[] = [
  ["a", "address"],
  ["b", "key"],
  ["*", "all"],
];

const BAN = ["b", "ban", "denials"] as const;

test("one Redis gets all partitions in one call", async () => {
  const { store: inner, calls } = scriptedParts(false);
  const { keys, policies } = counted(THREE);
  const store = splitStore(inner);
  for (let request = 0; request < 3; request++) {
    const reply = await store.decide("consume", keys, [1, 2, 3], policies);
    expect(reply.rows).toHaveLength(3);
  }
  expect(calls.map(told)).toEqual(Array(3).fill("consume {a}:address {b}:key {*}:all 1,2,3"));
  expect(calls.every((call) => call.policies === policies)).toBe(true);
});

test("a Cluster gets all partitions in one call once, and from then on each slot's", async () => {
  const { ask, said } = await split(THREE, { fresh: true });
  const parts = ["consume {a}:address 1", "consume {b}:key 2", "consume {*}:all 3"];
  await ask([1, 2, 3]);
  expect(said()).toEqual(["consume {a}:address {b}:key {*}:all 1,2,3", ...parts]);
  await ask([1, 2, 3]);
  expect(said().slice(4)).toEqual(parts);
});

test("one Redis that becomes a Cluster is split from then on", async () => {
  const { ask, said, state } = await split(THREE, { fresh: true });
  state.isCluster = false;
  await ask([1, 1, 1]);
  state.isCluster = true;
  await ask([1, 1, 1]);
  await ask([1, 1, 1]);
  expect(said()).toHaveLength(1 + 4 + 3);
});

test("one partition is one call, also on a Cluster", async () => {
  const { ask, said } = await split([
    ["a", "second"],
    ["a", "hour"],
  ]);
  await ask([1, 2]);
  expect(said()).toEqual(["consume {a}:second {a}:hour 1,2"]);
});

test("rows come in the order of the policies, and the clock is the latest", async () => {
  const { ask, held, said } = await split([
    ["a", "first"],
    ["*", "second"],
    ["a", "third"],
    ["b", "fourth"],
  ]);
  ["tg:{a}:first", "tg:{*}:second", "tg:{a}:third", "tg:{b}:fourth"].forEach((key, i) => {
    held[key] = { remaining: i };
  });
  const { nowUs, rows } = await ask([1, 2, 3, 4]);
  expect(rows.map(({ remaining }) => remaining)).toEqual([0, 1, 2, 3]);
  expect(nowUs).toBe(CLOCKS["*"]);
  expect(said()).toEqual([
    "consume {a}:first {a}:third 1,3",
    "consume {*}:second 2",
    "consume {b}:fourth 4",
  ]);
});

test("units of the others are given back where they were taken", async () => {
  const { ask, said, held } = await split([
    ...THREE,
    ["b", "shadow", "shadow"],
    ["b", "full", "soft"],
    ["b", "free"],
    // Its own master has not taken for it.
    ["a", "hour"],
  ]);
  held["tg:{a}:address"] = { allowed: false };
  held["tg:{b}:full"] = { allowed: false };
  const { rows } = await ask([1, 2, 3, 4, 5, 0, 6]);
  expect(rows.at(-1)).toMatchObject({ allowed: true, remaining: 5 });
  expect(said().slice(3)).toEqual([
    `refund {b}:key {b}:shadow 2,4 of ${CLOCKS["b"]}`,
    `refund {*}:all 3 of ${CLOCKS["*"]}`,
  ]);
});

test("rows of the others show the remaining units after the refund", async () => {
  const { ask, held } = await split([...THREE, ["*", "full", "soft"]]);
  held["tg:{a}:address"] = { allowed: false, remaining: 0 };
  // Afterwards one unit was left, and the same cost would have waited.
  held["tg:{b}:key"] = { remaining: 1, retryAfterUs: 700 };
  held["tg:{*}:all"] = { remaining: 7 };
  held["tg:{*}:full"] = { allowed: false, remaining: 2 };
  expect((await ask([1, 2, 3, 4])).rows).toEqual([
    { allowed: false, remaining: 0, retryAfterUs: 700, resetAfterUs: 900 },
    { allowed: true, remaining: 3, retryAfterUs: 0, resetAfterUs: 900 },
    // No other unit was taken.
    { allowed: true, remaining: 10, retryAfterUs: 0, resetAfterUs: 0 },
    { allowed: false, remaining: 2, retryAfterUs: 700, resetAfterUs: 900 },
  ]);
});

test("only a denial gives back: not the one of an advisory policy", async () => {
  const { ask, said, held } = await split([...THREE, ["a", "shadow", "shadow"]]);
  held["tg:{a}:shadow"] = { allowed: false };
  await ask([1, 1, 1, 1]);
  expect(said()).toHaveLength(3);
});

test.for<Operation>(["peek", "charge"])("%s takes nothing back", async (operation) => {
  const { ask, said, held } = await split([...THREE, ["b", "ban", "denials"]]);
  held["tg:{a}:address"] = { allowed: false };
  const { rows } = await ask([1, 2, 3, 0], operation);
  expect(said()).toEqual([
    `${operation} {a}:address 1`,
    `${operation} {b}:key {b}:ban 2,0`,
    `${operation} {*}:all 3`,
  ]);
  expect(rows.map(({ remaining }) => remaining)).toEqual([5, 5, 5, 5]);
});

test.for<[name: string, Counted[], denying: string[], last: string[]]>([
  ["is not asked where none denies", [["a", "address"], BAN], [], []],
  ["counts those of other masters", [["a", "address"], BAN], ["a}:address"], ["consume {b}:ban 1"]],
  [
    "and another of its master count each by itself",
    [["a", "address"], BAN, ["b", "ban-longer", "denials"]],
    ["a}:address"],
    ["consume {b}:ban 1", "consume {b}:ban-longer 1"],
  ],
  [
    "counts not its own",
    [["a", "address"], BAN],
    ["b}:ban"],
    [`refund {a}:address 1 of ${CLOCKS["a"]}`],
  ],
  [
    "that denies, too, counts the one of another policy, whichever stands first",
    [BAN, ["a", "address"]],
    ["b}:ban", "a}:address"],
    ["consume {b}:ban 1"],
  ],
  [
    "whose own master has counted one does not count it again",
    [["a", "address"], ["b", "key"], BAN],
    ["a}:address", "b}:key"],
    [],
  ],
])("of denials, a ban %s", async ([, given, denying, last]) => {
  const { ask, held, said } = await split(given);
  for (const key of denying) held[`tg:{${key}`] = { allowed: false };
  const { rows } = await ask(given.map(([, , kind]) => (kind === "denials" ? 0 : 1)));
  expect(said().slice(2)).toEqual(last);
  rows.forEach((row, i) => {
    const allowed = !denying.includes(`${given[i]![0]}}:${given[i]![1]}`);
    expect(row).toMatchObject(allowed ? { allowed, retryAfterUs: 0 } : { allowed });
  });
});

test("a policy that counts denials shows its count after the denial, and whether it had room before", async () => {
  const { store, keys, policies, held, calls } = await split([
    ["a", "address"],
    ["b", "ban", "denials"],
  ]);
  held["tg:{a}:address"] = { allowed: false };
  const reply = store.decide("consume", keys, [1, 0], policies);
  // Its last denial.
  await untilTwo(calls);
  await Promise.resolve();
  held["tg:{b}:ban"] = { allowed: false, remaining: 0 };
  expect((await reply).rows[1]).toEqual({
    allowed: true,
    remaining: 0,
    retryAfterUs: 700,
    resetAfterUs: 900,
  });
});

test("a give-back that fails changes nothing about the decision", async () => {
  const replies = [];
  for (const refundsFail of [false, true]) {
    const { ask, held, state } = await split(THREE);
    held["tg:{a}:address"] = { allowed: false };
    state.refundsFail = refundsFail;
    replies.push(await ask([1, 1, 1]));
  }
  expect(replies[1]).toEqual(replies[0]);
});

test("a count of a denial that fails leaves the row as it was", async () => {
  const { store, keys, policies, held, dead, calls } = await split([
    ["a", "address"],
    ["b", "ban", "denials"],
  ]);
  held["tg:{a}:address"] = { allowed: false };
  const reply = store.decide("consume", keys, [1, 0], policies);
  await untilTwo(calls);
  dead.add("b");
  expect((await reply).rows[1]).toMatchObject({ allowed: true, remaining: 5 });
  expect(calls).toHaveLength(3);
});

test("if some masters do not answer, the rows of the others are known, and can be given back", async () => {
  const { failing, dead, said, held } = await split(THREE);
  dead.add("b");
  held["tg:{a}:address"] = { remaining: 1 };
  const partial = await failing([1, 2, 3]);
  expect(partial).toBeInstanceOf(PartialReplyError);
  expect(partial).toMatchObject({ code: LOST.code, message: LOST.message, name: "StoreError" });
  expect(partial.rows.map((row) => row?.remaining)).toEqual([1, undefined, 5]);
  expect(said()).toHaveLength(3);
  const rows = await partial.giveBack();
  expect(rows.map((row) => row?.remaining)).toEqual([2, undefined, 8]);
  expect(said().slice(3)).toEqual([
    `refund {a}:address 1 of ${CLOCKS["a"]}`,
    `refund {*}:all 3 of ${CLOCKS["*"]}`,
  ]);
});

test("all policies of a master that does not answer have its failure", async () => {
  const { failing, dead } = await split([
    ["b", "key"],
    ["a", "address"],
    ["b", "hour"],
  ]);
  dead.add("b");
  const partial = await failing([1, 2, 3]);
  expect(partial.failures).toEqual([LOST, undefined, LOST]);
  expect(partial.clocksUs).toEqual([undefined, CLOCKS["a"], undefined]);
});

test("if a master denies and another does not answer, only the third gives back", async () => {
  const { failing, dead, said, held } = await split(THREE);
  dead.add("b");
  held["tg:{a}:address"] = { allowed: false };
  const partial = await failing([1, 2, 3]);
  await partial.giveBack();
  expect(said().slice(3)).toEqual([`refund {*}:all 3 of ${CLOCKS["*"]}`]);
});

test.for<Operation>(["peek", "charge"])(
  "if some masters do not answer a %s, there is nothing to give back",
  async (operation) => {
    const { failing, dead, said } = await split(THREE);
    dead.add("b");
    const partial = await failing([1, 1, 1], operation);
    expect(await partial.giveBack()).toBe(partial.rows);
    expect(said()).toHaveLength(3);
  },
);

test("if no master answers, the first failure is the answer", async () => {
  const { ask, dead } = await split(THREE);
  for (const tag of ["a", "b", "*"]) dead.add(tag);
  await expect(ask([1, 1, 1])).rejects.toMatchObject({
    code: LOST.code,
    failures: [LOST, LOST, LOST],
  });
});

test("a reset reaches each slot, also before it is known that there are several", async () => {
  for (const fresh of [true, false]) {
    const { store, keys, said } = await split([...THREE, ["a", "hour"]], { fresh });
    await store.reset(keys);
    const whole = fresh ? ["reset {a}:address {b}:key {*}:all {a}:hour"] : [];
    expect(said()).toEqual([
      ...whole,
      "reset {a}:address {a}:hour",
      "reset {b}:key",
      "reset {*}:all",
    ]);
  }
});

test("a reset that one master does not confirm fails", async () => {
  const { store, keys, dead } = await split(THREE);
  dead.add("b");
  await expect(store.reset(keys)).rejects.toBe(LOST);
});

test("a reset says that no master was asked only if that is so of all of them", async () => {
  const later = new StoreError("ERR_STORE_SUSPENDED", "later");
  const failed = async (failures: Readonly<Record<string, StoreError>>) => {
    const { store: inner } = scriptedParts();
    const store = splitStore({
      ...inner,
      async reset(keys) {
        await inner.reset(keys);
        const failure = failures[tagOf(keys[0]!)];
        if (failure) throw failure;
      },
    });
    await store.spansPartitions!("tg");
    const error: unknown = await Promise.resolve(store.reset(counted(THREE).keys)).catch(
      (reason: unknown) => reason,
    );
    return (error as StoreError).code;
  };
  expect(await failed({ a: later, b: later, "*": later })).toBe("ERR_STORE_SUSPENDED");
  expect(await failed({ a: later, b: LOST, "*": later })).toBe("ERR_STORE_TIMEOUT");
  expect(await failed({ a: later })).toBe("ERR_STORE_UNREACHABLE");
});

test("whether one call spans partitions is asked once", async () => {
  for (const isCluster of [true, false]) {
    const { store: inner, calls } = scriptedParts(isCluster);
    const store = splitStore(inner);
    expect(await store.spansPartitions!("tg")).toBe(!isCluster);
    expect(store.spansPartitions!("tg")).toBe(!isCluster);
    expect(calls.map(told)).toEqual(["reset {#0} {#1}"]);
  }
});

test("a call with several partitions has asked already; one with a single partition has not", async () => {
  for (const given of [THREE, THREE.slice(0, 1)]) {
    const { store: inner, calls } = scriptedParts(false);
    const { keys, policies } = counted(given);
    const store = splitStore(inner);
    await store.decide(
      "consume",
      keys,
      given.map(() => 1),
      policies,
    );
    expect(await store.spansPartitions!("tg")).toBe(true);
    expect(calls).toHaveLength(given === THREE ? 1 : 2);
  }
});

test("partitions that share a slot are one call, which says nothing about other slots", async () => {
  // Two tags with the same hash slot.
  const { ask, said, store } = await split(
    [
      ["a", "address"],
      ["20200", "key"],
    ],
    { fresh: true },
  );
  await ask([1, 1]);
  expect(said()).toEqual(["consume {a}:address {20200}:key 1,1"]);
  expect(await store.spansPartitions!("tg")).toBe(false);
});

test("while the store does not say, one call spans nothing, and it is asked again about other keys", async () => {
  const { store: inner, calls, dead } = scriptedParts();
  dead.add("#0").add("#1");
  const store = splitStore(inner);
  expect(await store.spansPartitions!("tg")).toBe(false);
  expect(await store.spansPartitions!("tg")).toBe(false);
  expect(await store.spansPartitions!("tg")).toBe(false);
  expect(store.spansPartitions!("tg")).toBe(false);
  expect(calls.map(told)).toEqual(["reset {#0} {#1}", "reset {#1} {#2}", "reset {#2} {#3}"]);
});

test("if the first call reaches a dead master, another one tells that this is a Cluster", async () => {
  const { ask, dead, said } = await split(THREE, { fresh: true });
  dead.add("a");
  await expect(ask([1, 1, 1])).rejects.toBe(LOST);
  await Promise.resolve();
  expect(said()).toEqual(["consume {a}:address {b}:key {*}:all 1,1,1", "reset {#0} {#1}"]);
  await expect(ask([1, 1, 1])).rejects.toBeInstanceOf(PartialReplyError);
});

test("a store that its breaker suspends is not asked by any call", async () => {
  const { store, keys, policies, calls } = await split(THREE, { fresh: true });
  const suspended = splitStore({
    ...store,
    decide: () => Promise.reject(new StoreError("ERR_STORE_SUSPENDED", "later")),
  });
  await expect(suspended.decide("consume", keys, [1, 1, 1], policies)).rejects.toMatchObject({
    code: "ERR_STORE_SUSPENDED",
  });
  expect(calls).toEqual([]);
});

test("the probes ask about two slots each, and together about those of each of three masters", async () => {
  const { store: inner, calls, dead } = scriptedParts();
  for (let i = 0; i <= 8; i++) dead.add(`#${i}`);
  const store = splitStore(inner);
  for (let i = 0; i < 8; i++) await store.spansPartitions!("tg");
  const slots = calls.map(({ keys }) => keys.map(hashSlot));
  expect(slots.every(([first, second]) => first !== second)).toBe(true);
  const masters = slots.slice(0, 3).map(([first]) => Math.floor((first! * 3) / SLOTS));
  expect(new Set(masters).size).toBe(3);
});

test("after a denial, the others only look until it is over", async () => {
  const { ask, held, saidNow } = await split(THREE);
  held["tg:{a}:address"] = { allowed: false };
  await ask([1, 2, 3]);
  for (let flood = 0; flood < 3; flood++) {
    const { rows } = await ask([1, 2, 3]);
    expect(saidNow()).toEqual(["consume {a}:address 1", "peek {b}:key 2", "peek {*}:all 3"]);
    expect(rows.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [false, 5],
      [true, 5],
      [true, 5],
    ]);
  }
  for (const operation of ["charge", "peek"] as const) {
    await ask([1, 2, 3], operation);
    expect(saidNow()).toEqual(
      ["{a}:address 1", "{b}:key 2", "{*}:all 3"].map((call) => `${operation} ${call}`),
    );
  }
  held["tg:{a}:address"] = { remaining: 9 };
  held["tg:{b}:key"] = { remaining: 8 };
  const { rows } = await ask([1, 2, 3]);
  const taken = ["consume {b}:key 2", "consume {*}:all 3"];
  expect(saidNow().slice(1)).toEqual(["peek {b}:key 2", "peek {*}:all 3", ...taken]);
  expect(rows.map(({ remaining }) => remaining)).toEqual([9, 8, 5]);
  await ask([1, 2, 3]);
  expect(saidNow()).toEqual(["consume {a}:address 1", ...taken]);
});

test("units that a doubtful part took come back if one that only looked denies", async () => {
  const { ask, held, saidNow } = await split(THREE);
  held["tg:{a}:address"] = { allowed: false };
  await ask([1, 2, 3]);
  held["tg:{a}:address"] = {};
  held["tg:{*}:all"] = { allowed: false };
  await ask([1, 2, 3]);
  expect(saidNow()).toEqual([
    "consume {a}:address 1",
    "peek {b}:key 2",
    "peek {*}:all 3",
    `refund {a}:address 1 of ${CLOCKS["a"]}`,
  ]);
});

test("a part that denied is remembered until a thousand others have, and then asked as any other", async () => {
  const { store, policies, held, calls } = await split(THREE.slice(0, 2));
  const ask = (tag: string) =>
    store.decide("consume", [`tg:{${tag}}:address`, "tg:{b}:key"], [1, 1], policies);
  const denied = ["a", ...Array.from({ length: 1_000 }, (_, i) => `other-${i}`)];
  for (const tag of denied) held[`tg:{${tag}}:address`] = { allowed: false };
  for (const tag of denied.slice(0, -1)) await ask(tag);
  const looks = async (tag: string) => {
    calls.length = 0;
    await ask(tag);
    return calls.some(({ call }) => call === "peek");
  };
  expect(await looks("other-0")).toBe(true);
  expect(await looks("a")).toBe(true);
  // The one that denied longest ago makes room for the last.
  await ask(denied.at(-1)!);
  expect(await looks("other-1")).toBe(false);
  expect(await looks("a")).toBe(true);
});

test("parts that all denied the last time are all asked to take", async () => {
  const { ask, held, saidNow } = await split(THREE.slice(0, 2));
  held["tg:{a}:address"] = { allowed: false };
  held["tg:{b}:key"] = { allowed: false };
  for (let request = 0; request < 2; request++) await ask([1, 2]);
  expect(saidNow()).toEqual(["consume {a}:address 1", "consume {b}:key 2"]);
});

test("policies that count denials count those that they have only seen", async () => {
  const { ask, held, saidNow } = await split([
    ["a", "address"],
    ["b", "key"],
    ["b", "ban", "denials"],
  ]);
  held["tg:{a}:address"] = { allowed: false };
  await ask([1, 1, 0]);
  // Two denials without the store, and this one.
  await ask([1, 1, 2]);
  expect(saidNow()).toEqual([
    "consume {a}:address 1",
    "peek {b}:key {b}:ban 1,2",
    "consume {b}:ban 3",
  ]);
  held["tg:{b}:key"] = { allowed: false };
  await ask([1, 1, 0]);
  expect(saidNow().slice(2)).toEqual(["consume {b}:ban 1"]);
});

test("without a doubtful part's master, the others take", async () => {
  const { ask, failing, held, dead, saidNow } = await split(THREE);
  held["tg:{a}:address"] = { allowed: false };
  await ask([1, 2, 3]);
  dead.add("a");
  const { rows } = await failing([1, 2, 3]);
  expect(rows.map((row) => row?.remaining)).toEqual([undefined, 5, 5]);
  expect(saidNow().slice(3)).toEqual(["consume {b}:key 2", "consume {*}:all 3"]);
});
