import { afterEach, describe, expect, test, vi } from "vitest";

import { concurrency, fixedWindow, tokenBucket } from "../../src/index.ts";
import { Faults } from "../../src/options/faults.ts";
import { openStore } from "../../src/store/open-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Slot, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { EVERY_PART } from "../support/store/every-part.ts";

afterEach(() => void vi.restoreAllMocks());

const daily = fixedWindow({ name: "daily", limit: 10, window: "1d" });
const burst = tokenBucket({ name: "burst", limit: 20, refill: 10, per: "1s" });

/** A store, and every call that its client got. */
function storeThat(answer: (args: readonly string[]) => unknown) {
  const calls: [sha1: string, keys: readonly string[], args: readonly string[]][] = [];
  const store = redisStore(
    {
      async evalsha(sha1, keys, args) {
        calls.push([sha1, keys, args]);
        return answer(args);
      },
      eval: () => Promise.reject(new Error("the script is there")),
    },
    ALL_SCRIPTS,
  );
  return { store, calls };
}

const ROW = [1, 9, 0, 1_000];
const rowsFor = ([, ...args]: readonly string[]) => [
  5,
  ...Array.from({ length: Math.floor(args.length / 5) }, () => ROW).flat(),
];

describe("a decision", () => {
  test("is one call, with the keys and the arguments that the script's head names", async () => {
    const { store, calls } = storeThat(() => [5, ...ROW, 0, 0, 7, 8]);
    const policies = compile([daily, burst]);
    expect(await store.decide("consume", ["k1", "k2"], [3, 4], policies)).toEqual({
      nowUs: 5,
      rows: [
        { allowed: true, remaining: 9, retryAfterUs: 0, resetAfterUs: 1_000 },
        { allowed: false, remaining: 0, retryAfterUs: 7, resetAfterUs: 8 },
      ],
    });
    const [first, second] = policies.map(({ scriptArguments }) => scriptArguments);
    expect(calls).toEqual([
      [
        expect.stringMatching(/^[0-9a-f]{40}$/),
        ["k1", "k2"],
        ["consume", "3", ...first!, "4", ...second!],
      ],
    ]);
  });

  test("ends with the roles if one of several policies is not enforced", async () => {
    const { store, calls } = storeThat(rowsFor);
    const roles = async (...policies: Parameters<typeof compile>[0]) => {
      const compiled = compile(policies);
      const keys = compiled.map((_, i) => `k${i}`);
      await store.decide(
        "consume",
        keys,
        compiled.map(() => 1),
        compiled,
      );
      return calls.at(-1)![2].slice(1 + 5 * compiled.length);
    };
    const shadowed = { ...daily, mode: "shadow" } as const;
    const ban = { ...burst, counts: "denials" } as const;
    expect(await roles(daily, burst)).toEqual([]);
    expect(await roles(shadowed)).toEqual([]);
    expect(await roles(ban)).toEqual(["d"]);
    expect(await roles(daily, { ...burst, mode: "soft" })).toEqual(["ea"]);
    expect(await roles(shadowed, ban)).toEqual(["ad"]);
    expect(await roles(ban, daily)).toEqual(["de"]);
  });

  test.for(["peek", "charge"] as const)("that is a %s says so", async (operation) => {
    const { store, calls } = storeThat(() => [5, ...ROW]);
    await store.decide(operation, ["k"], [2], compile([daily]));
    expect(calls[0]![2].slice(0, 2)).toEqual([operation, "2"]);
  });

  test("of which only the first has cost 0 is a consume, and one of a policy alone a look", async () => {
    const { store, calls } = storeThat(rowsFor);
    await store.decide("consume", ["k1", "k2"], [0, 1], compile([daily, burst]));
    await store.decide("consume", ["k"], [0], compile([daily]));
    expect(calls.map(([, , args]) => args.slice(0, 2))).toEqual([
      ["consume", "0"],
      ["peek", "0"],
    ]);
  });

  test("that is a lease runs a script of its own, and says how many units it took", async () => {
    const { store, calls } = storeThat(([operation]) => [
      5,
      ...ROW,
      ...(operation === "lease" ? [4, 9] : []),
    ]);
    const policies = compile([daily]);
    await store.decide("consume", ["k"], [1], policies);
    expect(await store.decide("lease", ["k"], [8], policies)).toMatchObject({
      leased: 4,
      epochs: [9],
    });
    expect(calls[1]![0]).not.toBe(calls[0]![0]);
  });
});

test("an extension asks of the policies with slots alone, each with its ttl, and answers in the order of all", async () => {
  const { store, calls } = storeThat(() => [5, 0, 1]);
  const policies = compile([
    daily,
    concurrency({ name: "short", limit: 1, ttl: "10s" }),
    burst,
    concurrency({ name: "long", limit: 1, ttl: "20s" }),
  ]);
  const keys = ["k1", "k2", "k3", "k4"];
  const kept = await store.extend!(keys, policies, { id: "x", ttlUs: 7e6 });
  expect(kept).toEqual([true, false, true, true]);
  const [, ofSlots, args] = calls[0]!;
  expect([ofSlots, args]).toEqual([
    ["k2", "k4"],
    ["x", "7000000", "10000000", "20000000"],
  ]);
  expect(await store.extend!(["k1"], policies.slice(0, 1), { id: "x", ttlUs: 7e6 })).toEqual([
    true,
  ]);
  expect(calls).toHaveLength(1);
});

test("a hold is a decision that ends with its slot, and only of policies that have slots", async () => {
  const { store, calls } = storeThat(rowsFor);
  const slot = { id: "x", ttlUs: 60e6 };
  const shadowed = compile([daily, { ...daily, name: "other", mode: "shadow" }]);
  await store.decide("consume", ["a", "b"], [1, 1], shadowed, slot);
  await store.decide("consume", ["a", "b"], [1, 1], shadowed);
  expect(calls[0]).toEqual(calls[1]);
  const held = compile([concurrency({ name: "streams", limit: 3 }), daily]);
  const groups = held.flatMap(({ scriptArguments }) => ["1", ...scriptArguments]);
  await store.decide("consume", ["a", "b"], [1, 1], held, slot);
  await store.decide("consume", ["a", "b"], [1, 1], held);
  expect(calls.slice(2).map(([, , args]) => args)).toEqual([
    ["consume", ...groups, "ee", "x", "60000000"],
    ["consume", ...groups],
  ]);
});

describe("a refund", () => {
  test("is one call, with the arguments that the script's head names", async () => {
    const { store, calls } = storeThat(() => [5, 0, 3]);
    const policies = compile([concurrency({ name: "streams", limit: 3 }), daily]);
    const [streams, counted] = policies.map(({ scriptArguments }) => scriptArguments);
    const refund = (slot?: Slot) =>
      store.refund!(["a", "b"], [0, 3], policies, { nowUs: 1_234 }, slot);
    expect(await refund()).toEqual([0, 3]);
    await refund({ id: "x", ttlUs: 60e6 });
    const args = ["1234", "0", ...streams!, "3", ...counted!];
    expect(calls.map(([, , each]) => each)).toEqual([args, [...args, "ee", "x", "60000000"]]);
  });

  test("of a token bucket gives back time, of which whole units are told", async () => {
    const bucket = tokenBucket({ name: "bucket", limit: 9, refill: 7, per: "1s" });
    const both = compile([bucket, daily]);
    const { intervalUs } = both[0]!.parameters;
    for (const [given, units] of [
      [0, 0],
      [intervalUs! - 1, 0],
      [intervalUs!, 1],
      [3 * intervalUs! - 1, 2],
    ] as const) {
      const { store } = storeThat(() => [5, given, 4]);
      expect(await store.refund!(["k", "l"], [3, 4], both, { nowUs: 1 })).toEqual([units, 4]);
    }
  });

  test("that has failed is not sent again: it may have run", async () => {
    const { store, calls } = storeThat(() => {
      throw new Error("ERR something else");
    });
    await expect(store.refund!(["k"], [3], compile([daily]), { nowUs: 0 })).rejects.toMatchObject({
      name: "StoreError",
      code: "ERR_STORE_REFUSED",
    });
    expect(calls).toHaveLength(1);
  });

  test("is there where its script is", () => {
    const client = { evalsha: async () => [], eval: async () => [] };
    const opened = openStore({ redis: client }, EVERY_PART, {}, new Faults());
    expect(opened?.refund).toBeTypeOf("function");
    expect(redisStore(client)).not.toHaveProperty("refund");
  });
});

test.for<[call: string, answers: readonly unknown[], ask: (store: Store) => unknown]>([
  [
    "refund",
    [null, [], [5], [5, 3, 3], [5, "3"], [5, 0.5]],
    (store) => store.refund!(["k"], [3], compile([daily]), { nowUs: 0 }),
  ],
  [
    "extension",
    [[1]],
    (store) => store.extend!(["k"], compile([concurrency({ limit: 1 })]), { id: "x", ttlUs: 6e7 }),
  ],
  ["reset", [null, "OK", 1, [], [5, 1], ["5"]], (store) => store.reset(["k"])],
])("a %s is not confirmed by an answer that is not the script's: %j", async ([, answers, ask]) => {
  for (const answer of answers) {
    await expect(ask(storeThat(() => answer).store), JSON.stringify(answer)).rejects.toMatchObject({
      name: "StoreError",
      code: "ERR_STORE_REPLY",
    });
  }
});

test("a reset is one call, of all keys, and asks no policy", async () => {
  const { store, calls } = storeThat(() => [5]);
  await store.reset(["k1", "k2"]);
  expect(calls.map(([, keys, args]) => [keys, args])).toEqual([[["k1", "k2"], ["reset"]]]);
});

test("a script is put together and named once for the same list of policies", async () => {
  const digest = vi.spyOn(crypto.subtle, "digest");
  const { store, calls } = storeThat(() => [5, ...ROW]);
  const policies = compile([daily]);
  for (let call = 0; call < 3; call++) await store.decide("consume", ["k"], [1], policies);
  expect(digest).toHaveBeenCalledTimes(1);
  expect(new Set(calls.map(([sha1]) => sha1)).size).toBe(1);
});
