import { describe, expect, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { watchedStore } from "../support/limiter/watched-store.ts";

function limiterOf(policies: LimiterOptions["policies"], options: Partial<LimiterOptions> = {}) {
  const { store, asked, world } = watchedStore();
  return { limiter: createLimiter({ store, policies, ...options }), asked, world };
}

const address = fixedWindow({ name: "address", by: "ip", limit: 2, window: "1m" });
const burst = slidingWindowLog({ name: "burst", by: "key", limit: 3, window: "1m" });
const slow = tokenBucket({ name: "slow", by: "ip", limit: 9, refill: 1, per: "1m" });
const everyone = fixedWindow({ name: "everyone", by: "*", limit: 5, window: "1m" });

describe("an identity with dimensions", () => {
  test("is counted by each of them, in one call", async () => {
    const { limiter, asked } = limiterOf([address, burst]);
    expect(await limiter.limit({ ip: "192.0.2.1", key: "k1" })).toMatchObject({
      allowed: true,
      policies: [
        { name: "address", remaining: 1 },
        { name: "burst", remaining: 2 },
      ],
    });
    expect(await limiter.limit({ ip: "192.0.2.2", key: "k1" })).toMatchObject({
      policies: [{ remaining: 1 }, { remaining: 1 }],
    });
    expect(asked.map(({ keys }) => keys)).toEqual([
      ["tg:{192.0.2.1}:address:f3:1m", "tg:{k1}:burst:l3:1m"],
      ["tg:{192.0.2.2}:address:f3:1m", "tg:{k1}:burst:l3:1m"],
    ]);
    // The addresses of a /64 belong to one client.
    await limiter.limit({ ip: "2001:db8::1" });
    expect(await limiter.limit({ ip: "2001:DB8:0::2" })).toMatchObject({
      policies: [{ remaining: 0 }],
    });
  });

  test("has a row for each policy in the order given, however dimensions are mixed", async () => {
    const { limiter, asked } = limiterOf([address, burst, slow]);
    for (const identity of [
      { ip: "a", key: "k" },
      { key: "k", ip: "a" },
    ]) {
      const { policies } = await limiter.peek(identity);
      expect(policies.map(({ name, limit }) => [name, limit])).toEqual([
        ["address", 2],
        ["burst", 3],
        ["slow", 9],
      ]);
    }
    const decision = await limiter.limit({ ip: "a", key: "k" }, { cost: { slow: 4, burst: 2 } });
    expect(decision.policies.map(({ remaining }) => remaining)).toEqual([1, 1, 5]);
    expect(asked.at(-1)!.keys.map((key) => key.split(":")[1])).toEqual(["{a}", "{a}", "{k}"]);
    expect(decision.headers().get("RateLimit-Policy")).toBe(
      '"address";q=2;w=60, "burst";q=3;w=60, "slow";q=9;w=540',
    );
  });

  test("is counted by the dimensions that it has: absent and undefined ones take no part", async () => {
    const { limiter, asked } = limiterOf([address, burst]);
    for (const identity of [{ key: "k1" }, { key: "k1", ip: undefined }, { key: "k1", no: "x" }]) {
      const { policies } = await limiter.limit(identity);
      expect(policies.map(({ name }) => name)).toEqual(["burst"]);
    }
    expect((await limiter.limit({ ip: "a" })).policies.map(({ name }) => name)).toEqual([
      "address",
    ]);
    expect(asked.map(({ keys }) => keys.length)).toEqual([1, 1, 1, 1]);
  });

  test('counts together with everybody by "*", and by that alone if it has nothing else', async () => {
    const { limiter, asked } = limiterOf([everyone, address]);
    for (const ip of ["a", "b", "c"]) await limiter.limit({ ip });
    await limiter.limit({});
    await limiter.limit({ "*": "somebody" });
    expect(asked.map(({ keys }) => keys[0])).toEqual(Array(5).fill("tg:{*}:everyone:f3:1m"));
    expect(asked.map(({ keys }) => keys.length)).toEqual([2, 2, 2, 1, 1]);
    expect(await limiter.limit({ ip: "d" })).toMatchObject({
      reason: "cached-denial",
      policies: [{ name: "everyone", allowed: false }],
    });
    // The dimension of requests without one is shared by all.
    expect((await limiter.peek({ ip: "*" })).policies[1]).toMatchObject({ remaining: 2 });
  });

  test("is refused if it is none", async () => {
    const { limiter, asked } = limiterOf([address, burst]);
    for (const identity of [
      "ada",
      {},
      { user: "ada" },
      { ip: undefined },
      null,
      undefined,
      7,
      [],
    ]) {
      const call = limiter.limit(identity as never);
      await expect(call).rejects.toMatchObject({ code: "ERR_IDENTITY" });
    }
    for (const identity of [{ ip: "" }, { ip: "a", key: "" }, { ip: 7 }, { ip: null }]) {
      const call = limiter.limit(identity as never);
      await expect(call).rejects.toMatchObject({ code: "ERR_IDENTITY" });
    }
    const whole = limiterOf([fixedWindow({ limit: 1, window: "1m" })]);
    await expect(whole.limiter.limit({ ip: "a" })).rejects.toMatchObject({ code: "ERR_IDENTITY" });
    expect([...asked, ...whole.asked]).toEqual([]);
  });
});

describe("a denial of one dimension", () => {
  test("is known for the next request of it, with any other dimensions", async () => {
    const { limiter, asked, world } = limiterOf([address, burst]);
    await limiter.limit({ ip: "a", key: "k1" });
    await limiter.limit({ ip: "a", key: "k2" });
    asked.length = 0;
    expect(await limiter.limit({ ip: "a", key: "k3" })).toMatchObject({
      reason: "cached-denial",
      policies: [{ name: "address", allowed: false, retryAfterMs: 60_000 }],
    });
    expect((await limiter.limit({ ip: "a" })).reason).toBe("cached-denial");
    expect(asked).toEqual([]);
    // It does not concern another address with the same key.
    expect((await limiter.limit({ ip: "b", key: "k3" })).reason).toBe("allowed");
    world.nowUs += 60_000_000;
    expect((await limiter.limit({ ip: "a", key: "k3" })).reason).toBe("allowed");
    expect(asked).toHaveLength(2);
  });

  test("takes nothing of the others, whether the store denies or the isolate", async () => {
    for (const denialCache of [false, { maxEntries: 10 }] as const) {
      const { limiter, asked } = limiterOf([burst, address, slow], { denialCache });
      for (let request = 0; request < 6; request++) await limiter.limit({ ip: "a", key: "k" });
      expect((await limiter.peek({ ip: "a", key: "k" })).policies).toMatchObject([
        { name: "burst", remaining: 1 },
        { name: "address", remaining: 0 },
        { name: "slow", remaining: 7 },
      ]);
      expect(asked).toHaveLength(denialCache ? 3 : 7);
    }
  });

  test("ends with a reset of an identity that has it", async () => {
    const { limiter } = limiterOf([address, burst]);
    await limiter.limit({ ip: "a", key: "k1" }, { cost: 2 });
    expect((await limiter.limit({ ip: "a", key: "k2" })).allowed).toBe(false);
    await limiter.reset({ ip: "a" });
    expect(await limiter.limit({ ip: "a", key: "k1" })).toMatchObject({
      allowed: true,
      policies: [{ remaining: 1 }, { remaining: 0 }],
    });
  });
});

describe("costs by the names of policies", () => {
  test("are taken from these, and 1 from the others", async () => {
    const { limiter, asked } = limiterOf([address, burst, slow]);
    const identity = { ip: "a", key: "k" };
    await limiter.limit(identity, { cost: { slow: 4 } });
    await limiter.limit(identity, { cost: { slow: 0, burst: 2, address: 0 } });
    await limiter.charge(identity, { address: 0 });
    await limiter.charge(identity, { address: 0, slow: 0, burst: 0 });
    await limiter.limit({ ip: "a" }, { cost: { burst: 3 } });
    expect(asked.map(({ call, costs }) => [call, costs])).toEqual([
      ["consume", [1, 4, 1]],
      ["consume", [0, 0, 2]],
      ["charge", [0, 1, 1]],
      ["peek", [0, 0, 0]],
      ["consume", [1, 1]],
    ]);
  });

  test("are denied at once if one is above its policy's limit", async () => {
    const { limiter, asked } = limiterOf([address, burst, slow]);
    expect(await limiter.limit({ ip: "a", key: "k" }, { cost: { burst: 4 } })).toMatchObject({
      reason: "cost-exceeds-limit",
      policies: [{ allowed: true }, { allowed: false, retryAfterMs: Infinity }, { allowed: true }],
    });
    expect(asked).toEqual([]);
  });

  test("are whole numbers from 0, of policies that there are", async () => {
    const { limiter, asked } = limiterOf([address, burst]);
    const wrong: unknown[] = [
      { tokens: 1 },
      { burst: -1 },
      { burst: 1.5 },
      { burst: "1" },
      { burst: undefined },
      { toString: 1 },
      new Map([["burst", 2]]),
      [2],
      null,
    ];
    for (const cost of wrong) {
      const identity = { ip: "a", key: "k" };
      for (const call of [
        limiter.limit(identity, { cost: cost as never }),
        limiter.peek(identity, { cost: cost as never }),
        limiter.charge(identity, cost as never),
      ]) {
        await expect(call).rejects.toMatchObject({ code: "ERR_COST" });
      }
    }
    await expect(limiter.charge({ ip: "a" }, undefined as never)).rejects.toMatchObject({
      code: "ERR_COST",
    });
    await expect(limiter.limit({ ip: "a" }, { costs: 3 } as never)).rejects.toMatchObject({
      code: "ERR_COST",
    });
    expect(asked).toEqual([]);
  });
});

describe("a plan", () => {
  const plans = { gold: { address: { limit: 10 } }, slower: { burst: { window: "2m" } } };

  test("has numbers of its own, and goes on from the consumed units", async () => {
    const { limiter } = limiterOf([address, burst], { plans });
    const identity = { ip: "a", key: "k" };
    await limiter.limit(identity);
    expect((await limiter.limit(identity, { plan: "gold" })).policies).toMatchObject([
      { name: "address", limit: 10, remaining: 8 },
      { name: "burst", limit: 3, remaining: 1 },
    ]);
    expect((await limiter.peek(identity, { plan: "slower" })).policies).toMatchObject([
      { name: "address", limit: 2, remaining: 0 },
      // Units of another window are other units.
      { name: "burst", window: 120, remaining: 3 },
    ]);
  });

  test("has its units back after a reset, also where its window is its own", async () => {
    const { limiter } = limiterOf([address, burst], { plans });
    const identity = { ip: "a", key: "k" };
    const left = async (plan?: string) =>
      (await limiter.peek(identity, plan ? { plan } : {})).policies.map((each) => each.remaining);
    await limiter.limit(identity);
    await limiter.limit(identity, { plan: "slower" });
    expect([await left(), await left("slower")]).toEqual([
      [0, 2],
      [0, 2],
    ]);
    await limiter.reset(identity);
    expect([await left(), await left("slower"), await left("gold")]).toEqual([
      [2, 3],
      [2, 3],
      [10, 3],
    ]);
  });

  test("is not denied by the known denial of another one, and its decision asks the store", async () => {
    const { limiter, asked } = limiterOf([address, burst], { plans });
    const identity = { ip: "a" };
    await limiter.limit(identity);
    await limiter.limit(identity);
    expect((await limiter.limit(identity)).reason).toBe("cached-denial");
    expect((await limiter.limit(identity, { plan: "gold" })).reason).toBe("allowed");
    expect((await limiter.limit(identity)).reason).toBe("limited");
    expect((await limiter.limit(identity)).reason).toBe("cached-denial");
    expect(asked).toHaveLength(4);
  });

  test("shares the known denials of the dimensions that it does not change", async () => {
    const { limiter, asked } = limiterOf([address, burst], { plans });
    const cost = { address: 2 };
    await limiter.limit({ ip: "a", key: "k" }, { cost });
    const slower = await limiter.limit({ ip: "a", key: "k" }, { plan: "slower", cost });
    expect(slower.reason).toBe("cached-denial");
    expect(asked).toHaveLength(1);
  });

  test("that does not exist is refused", async () => {
    const { limiter, asked } = limiterOf([address], { plans: { gold: {} } });
    for (const plan of ["silver", "", "toString", "__proto__"]) {
      const call = limiter.limit({ ip: "a" }, { plan });
      const message = `The limiter has no plan "${plan}". Its plans: "gold".`;
      await expect(call).rejects.toMatchObject({ code: "ERR_PLAN", message });
    }
    expect((await limiter.limit({ ip: "a" }, { plan: undefined })).allowed).toBe(true);
    expect((await limiter.limit({ ip: "a" }, { plan: "gold" })).allowed).toBe(true);
    expect(asked).toHaveLength(2);
  });
});
