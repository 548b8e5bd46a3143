import { afterEach, describe, expect, test, vi } from "vitest";

import { concurrency } from "../../src/algorithms/concurrency.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { DECIDE } from "../../src/algorithms/scripts.generated.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";

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
    const { store, calls } = storeThat(([, ...args]) => [
      5,
      ...Array.from({ length: Math.floor(args.length / 6) }, () => ROW).flat(),
    ]);
    const roles = async (...policies: Parameters<typeof compile>[0]) => {
      const compiled = compile(policies);
      const keys = compiled.map((_, i) => `k${i}`);
      await store.decide(
        "consume",
        keys,
        compiled.map(() => 1),
        compiled,
      );
      return calls.at(-1)![2].slice(1 + 6 * compiled.length);
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
    const { store, calls } = storeThat(([, ...args]) => [
      5,
      ...Array.from({ length: Math.floor(args.length / 6) }, () => ROW).flat(),
    ]);
    await store.decide("consume", ["k1", "k2"], [0, 1], compile([daily, burst]));
    await store.decide("consume", ["k"], [0], compile([daily]));
    expect(calls.map(([, , args]) => args.slice(0, 2))).toEqual([
      ["consume", "0"],
      ["peek", "0"],
    ]);
  });

  test.for([[[5, ...ROW, 1]], [[5, 1, 9, 0]], [[]]])(
    "is not answered by as many numbers as %j has",
    async ([answer]) => {
      const { store } = storeThat(() => answer);
      await expect(
        Promise.resolve(store.decide("consume", ["k"], [1], compile([daily]))),
      ).rejects.toMatchObject({ code: "ERR_STORE_REPLY" });
    },
  );

  test("that is a lease runs a script of its own, and says how many units it took", async () => {
    const { store, calls } = storeThat(([operation]) => [
      5,
      ...ROW,
      ...(operation === "lease" ? [4] : []),
    ]);
    const policies = compile([daily]);
    await store.decide("consume", ["k"], [1], policies);
    expect(await store.decide("lease", ["k"], [8], policies)).toMatchObject({ taken: 4 });
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

describe("a reset", () => {
  test("is one call, of all keys, and asks no policy", async () => {
    const { store, calls } = storeThat(() => [5]);
    await store.reset(["k1", "k2"]);
    expect(calls.map(([, keys, args]) => [keys, args])).toEqual([[["k1", "k2"], ["reset"]]]);
  });

  test.for([[null], ["OK"], [1], [[]], [[5, 1]], [["5"]]])(
    "is not confirmed by %j",
    async ([answer]) => {
      const { store } = storeThat(() => answer);
      await expect(store.reset(["k"])).rejects.toMatchObject({ code: "ERR_STORE_REPLY" });
    },
  );
});

describe("a script", () => {
  test("is put together and named once for the same list of policies", async () => {
    const digest = vi.spyOn(crypto.subtle, "digest");
    const { store, calls } = storeThat(() => [5, ...ROW]);
    const policies = compile([daily]);
    for (let call = 0; call < 3; call++) await store.decide("consume", ["k"], [1], policies);
    expect(digest).toHaveBeenCalledTimes(1);
    expect(new Set(calls.map(([sha1]) => sha1)).size).toBe(1);
  });

  test("is the same in any order of the policies, and has an algorithm once", () => {
    const [a, b, log] = [daily, burst, slidingWindowLog({ limit: 1, window: "1s" })];
    const texts = [
      [a, b, log],
      [log, b, a],
      [b, log, a, fixedWindow({ name: "other", limit: 1, window: "1s" })],
    ].map((policies) => scriptFor(DECIDE, compile(policies)).text);
    expect(new Set(texts).size).toBe(1);
  });

  test("has no algorithm without a policy", () => {
    const one = scriptFor(DECIDE, compile([daily])).text;
    const two = scriptFor(DECIDE, compile([daily, burst])).text;
    expect(one).toContain("'fixed-window'");
    expect(one).not.toContain("'token-bucket'");
    expect(two).toContain("'token-bucket'");
    expect(scriptFor(DECIDE, []).text).toBe(DECIDE.before + DECIDE.after);
  });
});
