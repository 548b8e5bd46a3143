import { Ratelimit as Peer } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import { Ratelimit } from "../../src/upstash-ratelimit.ts";
import { connect, noRedis, ownPrefix, quietly, standStill } from "./clocked-redis.ts";
import { createOurs, createPeer, type Create, type Limiter, peerRedis } from "./upstash-places.ts";

/** The results of the peer and of ours: the peer's is the reason for its row in the table of docs/moving/upstash-ratelimit.md. */
async function onBoth<Result>(run: (create: Create) => Promise<Result>): Promise<[Result, Result]> {
  return [await run(createPeer), await run(createOurs)];
}

const passes = async (limiter: Limiter, rate = 1) => (await limiter.limit("ada", { rate })).success;

describe("where the peer's behaviour is a defect", () => {
  test("a denied request takes nothing", async () => {
    standStill();
    const left = await onBoth(async (create) => {
      const limiter = create(({ fixedWindow }) => fixedWindow(10, "1 d"), {
        ephemeralCache: false,
      });
      await limiter.limit("ada", { rate: 8 });
      expect(await passes(limiter, 5)).toBe(false);
      return passes(limiter, 2);
    });
    expect(left).toEqual([false, true]);
  });

  test("a denial that is known ends when there is room, also of a sliding window", async () => {
    const clock = standStill();
    const passed = await onBoth(async (create) => {
      clock.toGrid(20_000);
      clock.pass(18_000);
      const limiter = create(({ slidingWindow }) => slidingWindow(20, "20 s"));
      await limiter.limit("ada", { rate: 20 });
      let admitted = 0;
      for (let half = 0; half < 30; half++) {
        admitted += Number(await passes(limiter));
        clock.pass(500);
      }
      return admitted;
    });
    // For two seconds none comes back, then one each second for thirteen.
    expect(passed[0]).toBeLessThanOrEqual(1);
    expect(passed[1]).toBeGreaterThanOrEqual(11);
  });

  test("a denial of a high cost does not deny a low one", async () => {
    standStill();
    const low = await onBoth(async (create) => {
      const limiter = create(({ tokenBucket }) => tokenBucket(1, "1 d", 10));
      await limiter.limit("ada", { rate: 8 });
      expect(await passes(limiter, 5)).toBe(false);
      return passes(limiter, 1);
    });
    expect(low).toEqual([false, true]);
  });

  test("a raised dynamic limit ends the denials that are known", async () => {
    standStill();
    const raised = await onBoth(async (create) => {
      const limiter = create(({ fixedWindow }) => fixedWindow(1, "1 d"), { dynamicLimits: true });
      await limiter.limit("ada");
      await limiter.limit("ada");
      await limiter.setDynamicLimit({ limit: 100 });
      return passes(limiter);
    });
    expect(raised).toEqual([false, true]);
  });

  test("tokens that come back are never more than were taken", async () => {
    standStill();
    const left = await onBoth(async (create) => {
      const limiter = create(({ fixedWindow }) => fixedWindow(10, "1 d"));
      await limiter.limit("ada", { rate: 2 });
      return (await limiter.limit("ada", { rate: -100 })).remaining;
    });
    expect(left).toEqual([108, 10]);
  });

  test("a denial that is known ends when tokens come back", async () => {
    standStill();
    const limiter = createOurs(({ fixedWindow }) => fixedWindow(2, "1 d"));
    await limiter.limit("ada", { rate: 2 });
    expect(await passes(limiter)).toBe(false);
    await limiter.limit("ada", { rate: -1 });
    expect([await passes(limiter), await passes(limiter)]).toEqual([true, false]);
    expect((await limiter.limit("ada")).reason).toBe("cacheBlock");
  });

  test("a bucket refills token by token, and getRemaining sees it", async () => {
    const clock = standStill();
    const refilled = await onBoth(async (create) => {
      const limiter = create(({ tokenBucket }) => tokenBucket(5, "10 s", 10), {
        ephemeralCache: false,
      });
      await limiter.limit("ada", { rate: 10 });
      clock.pass(4_000);
      return [(await limiter.getRemaining("ada")).remaining, await passes(limiter)];
    });
    expect(refilled).toEqual([
      [0, false],
      [2, true],
    ]);
  });

  test("an identifier is a text, and no pattern", async () => {
    standStill();
    const left = await onBoth(async (create) => {
      const limiter = create(({ fixedWindow }) => fixedWindow(2, "1 d"));
      await limiter.limit("ada");
      await limiter.resetUsedTokens("*");
      return (await limiter.getRemaining("ada")).remaining;
    });
    expect(left).toEqual([2, 1]);
  });

  test("an empty identifier and a broken rate are mistakes, and said to be", async () => {
    const limiter = createOurs(({ fixedWindow }) => fixedWindow(2, "1 d"));
    await expect(limiter.limit("")).rejects.toMatchObject({ code: "ERR_IDENTITY" });
    for (const rate of [1.5, -1.5, NaN]) {
      await expect(limiter.limit("ada", { rate })).rejects.toMatchObject({ code: "ERR_COST" });
    }
  });

  test("every key expires, those of cachedFixedWindow and of analytics, too", async () => {
    const expiries = [];
    for (const [create, redis] of [
      [createPeer, peerRedis()],
      [createOurs, connect()],
    ] as const) {
      const prefix = ownPrefix();
      const options = { prefix, analytics: true };
      const limiter = create(({ cachedFixedWindow }) => cachedFixedWindow(2, "1 d"), options);
      const { pending } = await limiter.limit("ada");
      await pending;
      // The second is settled in the background.
      await expect.poll(() => redis.keys(`${prefix}*`)).toHaveLength(2);
      const ttls = [];
      for (const key of await redis.keys(`${prefix}*`)) ttls.push((await redis.pttl(key)) > 0);
      expiries.push(ttls);
    }
    expect(expiries).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test("a value of the deny list that one limiter knows denies nothing in another", async () => {
    standStill();
    const second = await onBoth(async (create) => {
      const prefix = ownPrefix();
      const key = `${prefix}:denyList:all`;
      // A value for each, because the peer's memory is one for the process.
      await Promise.all([peerRedis().sadd(key, prefix), connect().sadd(key, prefix)]);
      await peerRedis().set(`${prefix}:ipDenyListStatus`, "disabled");
      const guarded = create(({ fixedWindow }) => fixedWindow(5, "1 d"), {
        prefix,
        enableProtection: true,
      });
      expect((await guarded.limit(prefix)).reason).toBe("denyList");
      const other = create(({ fixedWindow }) => fixedWindow(5, "1 d"));
      return (await other.limit(prefix)).success;
    });
    expect(second).toEqual([false, true]);
  });

  test("an error is as a missing answer: the request passes, with numbers that are true", async () => {
    quietly();
    const broken = { ...noRedis, get: noRedis.eval, set: noRedis.eval } as never;
    const peer = new Peer({ redis: broken, limiter: Peer.fixedWindow(2, "10 s") });
    await expect(peer.limit("ada")).rejects.toThrow("ECONNREFUSED");
    const ours = new Ratelimit({ redis: broken, limiter: Ratelimit.fixedWindow(2, "10 s") });
    const passed = { success: true, limit: 2, remaining: 2, reason: "timeout" };
    expect(await ours.limit("ada")).toMatchObject(passed);
  });

  test("stock Redis counts, also on a Cluster: keys of an identifier have one hash tag", async () => {
    const address = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
    const stock = new Redis({ ...address, retry: false });
    const peer = new Peer({ redis: stock, limiter: Peer.fixedWindow(2, "10 s") });
    await expect(peer.limit("ada")).rejects.toThrow("Unexpected flag");
    const prefix = ownPrefix();
    const limiter = Ratelimit.slidingWindow(2, "1 h");
    const ours = new Ratelimit({ redis: stock, prefix, timeout: 20_000, limiter });
    expect((await ours.limit("ada")).success).toBe(true);
    const keys = await connect().keys(`${prefix}*`);
    expect(keys.map((key) => key.slice(prefix.length).replace(/[^}]*$/, ""))).toEqual([":{ada}"]);
  });

  test("the clock is Redis's: that of a process changes nothing", async () => {
    const redis = fromIoredis(connect());
    const prefix = ownPrefix();
    const limiter = Ratelimit.fixedWindow(3, "100 d");
    const options = { redis, prefix, limiter, timeout: 20_000 };
    const { reset } = await new Ratelimit(options).limit("ada");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 200 * 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await new Ratelimit(options).limit("ada")).toMatchObject({ remaining: 1, reset });
  });
});
