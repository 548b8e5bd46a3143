import { Analytics, Ratelimit as Peer } from "@upstash/ratelimit";
import { describe, expect, test, vi } from "vitest";

import { Ratelimit } from "../../src/upstash-ratelimit.ts";
import {
  connect,
  countedRedis,
  ownPrefix,
  quietly,
  redisByDate,
  standStill,
} from "./clocked-redis.ts";
import { BOTH, createOurs, type Limiter, peerRedis } from "./upstash-places.ts";

const successes = async (limiter: Limiter, requests: number, identifier = "ada") => {
  let passed = 0;
  for (let i = 0; i < requests; i++) passed += Number((await limiter.limit(identifier)).success);
  return passed;
};

/** A Redis that never answers. */
const silent = {
  evalsha: () => new Promise(() => {}),
  eval: () => new Promise(() => {}),
  get: () => new Promise(() => {}),
  set: () => new Promise(() => {}),
};

describe.for(BOTH)("the documented API of %s", ([, create]) => {
  test("tokenBucket: a burst, then the refill", async () => {
    const clock = standStill();
    const limiter = create(({ tokenBucket }) => tokenBucket(5, "10 s", 10));
    expect(await successes(limiter, 12)).toBe(10);
    clock.pass(10_001);
    expect(await successes(limiter, 7)).toBe(5);
    clock.pass(60_000);
    expect(await successes(limiter, 12)).toBe(10);
  });

  test("cachedFixedWindow: a limit in each window", async () => {
    const clock = standStill();
    clock.toGrid(10_000);
    const limiter = create(({ cachedFixedWindow }) => cachedFixedWindow(3, "10 s"));
    expect(await successes(limiter, 5)).toBe(3);
    clock.pass(10_000);
    expect(await successes(limiter, 5)).toBe(3);
  });

  test("rate: a cost, none, or tokens that come back", async () => {
    standStill();
    const limiter = create(({ fixedWindow }) => fixedWindow(10, "1 d"));
    const left = async (rate: number) => {
      const { success, remaining } = await limiter.limit("ada", { rate });
      return [success, remaining];
    };
    expect(await left(4)).toEqual([true, 6]);
    expect(await left(0)).toEqual([true, 6]);
    expect(await left(-3)).toEqual([true, 9]);
    expect(await left(9)).toEqual([true, 0]);
    expect(await left(1)).toEqual([false, 0]);
  });

  test("a denial that is known costs no call, and says so", async () => {
    standStill();
    const limiter = create(({ fixedWindow }) => fixedWindow(1, "1 d"));
    await successes(limiter, 2);
    expect(await limiter.limit("ada")).toMatchObject({ success: false, reason: "cacheBlock" });
    const asking = create(({ fixedWindow }) => fixedWindow(1, "1 d"), { ephemeralCache: false });
    await successes(asking, 2);
    expect((await asking.limit("ada")).reason).toBeUndefined();
  });

  test("blockUntilReady waits for room, but no longer than it may", async () => {
    // In real time: a window of a second ends in at most that.
    const limiter = create(({ fixedWindow }) => fixedWindow(1, "1 s"));
    await limiter.limit("ada");
    expect((await limiter.blockUntilReady("ada", 10_000)).success).toBe(true);
    const daily = create(({ fixedWindow }) => fixedWindow(1, "1 d"));
    await daily.limit("ada");
    expect((await daily.blockUntilReady("ada", 20)).success).toBe(false);
    await expect(daily.blockUntilReady("ada", 0)).rejects.toThrow("timeout must be positive");
  });

  test("dynamicLimits: an override for all clients, until it is taken back", async () => {
    standStill();
    const limiter = create(({ fixedWindow }) => fixedWindow(2, "1 d"), {
      dynamicLimits: true,
      ephemeralCache: false,
    });
    expect(await limiter.getDynamicLimit()).toEqual({ dynamicLimit: null });
    await limiter.setDynamicLimit({ limit: 4 });
    expect(await limiter.getDynamicLimit()).toEqual({ dynamicLimit: 4 });
    expect(await successes(limiter, 6)).toBe(4);
    expect((await limiter.limit("bob")).limit).toBe(4);
    await limiter.setDynamicLimit({ limit: false });
    expect(await limiter.getRemaining("bob")).toMatchObject({ limit: 2, remaining: 1 });
    const without = create(({ fixedWindow }) => fixedWindow(2, "1 d"));
    await expect(without.setDynamicLimit({ limit: 4 })).rejects.toThrow("dynamicLimits");
    await expect(without.getDynamicLimit()).rejects.toThrow("dynamicLimits");
  });

  test("enableProtection: the deny list, by identifier, address, user agent and country", async () => {
    standStill();
    const prefix = ownPrefix();
    const limiter = create(({ fixedWindow }) => fixedWindow(5, "1 d"), {
      enableProtection: true,
      prefix,
    });
    // The places have a Redis each.
    const key = `${prefix}:denyList:all`;
    await Promise.all([peerRedis().sadd(key, "203.0.113.9"), connect().sadd(key, "203.0.113.9")]);
    // So that the peer downloads nothing.
    await peerRedis().set(`${prefix}:ipDenyListStatus`, "disabled");
    expect(await limiter.limit("ada", { ip: "203.0.113.8" })).toMatchObject({ success: true });
    for (let i = 0; i < 2; i++) {
      expect(await limiter.limit("ada", { ip: "203.0.113.9" })).toMatchObject({
        success: false,
        remaining: 0,
        reason: "denyList",
        deniedValue: "203.0.113.9",
      });
    }
  });

  test("analytics: counts the decisions, in pending", async () => {
    standStill();
    const prefix = ownPrefix();
    const limiter = create(({ fixedWindow }) => fixedWindow(1, "1 d"), { analytics: true, prefix });
    for (let i = 0; i < 2; i++) {
      const { pending } = await limiter.limit("ada", { geo: { country: "CH" } });
      await pending;
    }
    const key = `${prefix}:events:${Math.floor(Date.now() / 3_600_000) * 3_600_000}`;
    const [theirs, ours] = [
      await peerRedis().zrange(key, 0, -1),
      await connect().zrange(key, "0", "-1"),
    ];
    const members = [...theirs, ...ours].map((each) =>
      typeof each === "string" ? (JSON.parse(each) as object) : each,
    );
    expect(members).toHaveLength(2);
    expect(members).toContainEqual({ identifier: "ada", success: true, country: "CH" });
    expect(members).toContainEqual({ identifier: "ada", success: false, country: "CH" });
  });

  test("methods work without their object", async () => {
    standStill();
    const { limit, getRemaining } = create(({ fixedWindow }) => fixedWindow(2, "1 d"));
    await limit("ada");
    expect((await getRemaining("ada")).remaining).toBe(1);
  });
});

describe.for([
  ["@upstash/ratelimit", Peer],
  ["tidegate/upstash-ratelimit", Ratelimit],
] as const)("%s", ([, Class]) => {
  const Any = Class as typeof Ratelimit;

  test("lets a request pass that Redis does not answer in time", async () => {
    quietly();
    const limiter = new Any({
      redis: silent as never,
      limiter: Any.fixedWindow(2, "10 s"),
      timeout: 20,
    });
    expect(await limiter.limit("ada")).toMatchObject({ success: true, reason: "timeout" });
  });

  test.each(["10s", "10 s", "1.5 m", "500 ms", "1 ms", "0.5 ms", "1w"] as const)(
    "takes %s for a time",
    (window) => {
      expect(() => Any.fixedWindow(1, window)).not.toThrow();
    },
  );

  test("refuses a text that is no time", () => {
    const made = () => Any.fixedWindow(1, "ten" as never) as unknown as (() => unknown) | undefined;
    // The peer finds out when it is asked.
    expect(() => made()).toThrow("Unable to parse window size");
  });
});

describe("tidegate/upstash-ratelimit", () => {
  test("a refund is three calls", async () => {
    const { redis, costOf } = countedRedis();
    const limiter = Ratelimit.tokenBucket(10, "2 d", 10);
    const ratelimit = new Ratelimit({ redis, limiter, timeout: 20_000, prefix: ownPrefix() });
    await ratelimit.limit("ada", { rate: 4 });
    // The first one may bring its script.
    await ratelimit.limit("ada", { rate: -1 });
    expect(await costOf(() => ratelimit.limit("ada", { rate: -1 }))).toBe(3);
  });

  test("analytics: the peer's class for reading them finds the counts", async () => {
    const redis = peerRedis();
    const prefix = ownPrefix();
    const limiter = Ratelimit.fixedWindow(2, "1 d");
    const ratelimit = new Ratelimit({ redis, limiter, analytics: true, timeout: 20_000, prefix });
    for (const identifier of ["ada", "ada", "ada", "bob"]) {
      const { pending } = await ratelimit.limit(identifier);
      await pending;
    }
    const analytics = new Analytics({ redis: redis as never, prefix });
    // Two hours, because one may end meanwhile.
    expect(await analytics.getUsage(Date.now() - 7_200_000)).toEqual({
      ada: { success: 2, blocked: 1 },
      bob: { success: 1, blocked: 0 },
    });
  });

  test.each([
    [10, 3, 3],
    [9, 3, 4],
    [1, 1, 10],
    [10, 11, 10],
  ])("a bucket that gave %d tokens and gets %d back has %d", async (taken, back, left) => {
    const clock = standStill();
    const { evalsha, ...redis } = redisByDate();
    // Between two calls time passes, and with it a part of a token.
    const later: typeof evalsha = (...call) => (clock.pass(1), evalsha(...call));
    const clocked = { redis: { ...redis, evalsha: later } };
    const limiter = createOurs(({ tokenBucket }) => tokenBucket(10, "2 d", 10), clocked);
    expect((await limiter.limit("ada", { rate: taken })).remaining).toBe(10 - taken);
    expect(await limiter.limit("ada", { rate: -back })).toMatchObject({
      success: true,
      remaining: left,
    });
    expect((await limiter.getRemaining("ada")).remaining).toBe(left);
  });

  test.each(["abc", "-5", "0", "1.5", "1e400", "20000000000"])(
    "an override of %j, which no limit can be, has no effect",
    async (override) => {
      standStill();
      quietly();
      const prefix = ownPrefix();
      await connect().set(`${prefix}:dynamic:global`, override);
      const options = { dynamicLimits: true, prefix };
      const limiter = createOurs(({ slidingWindow }) => slidingWindow(2, "1 d"), options);
      expect(await limiter.limit("ada")).toMatchObject({ success: true, limit: 2, remaining: 1 });
      expect(await limiter.getRemaining("ada")).toMatchObject({ limit: 2, remaining: 1 });
      expect(vi.mocked(console.warn).mock.calls).toEqual([
        [expect.stringContaining(`The dynamic limit of "${prefix}" is none that can be counted`)],
      ]);
    },
  );

  test.each(["enableProtection", "dynamicLimits", "analytics"])(
    "%s needs a client, not an address, so that it is not silently left out",
    (option) => {
      const redis = { url: "https://redis.example", token: "a-secret" } as never;
      const limiter = Ratelimit.fixedWindow(2, "1 d");
      expect(() => new Ratelimit({ redis, limiter, [option]: true })).toThrow(
        'redis: "object": A client has the two functions evalsha and eval.',
      );
    },
  );
});
