import { ThrottlerStorageService } from "@nestjs/throttler";
import { describe, expect, test } from "vitest";

import { TidegateThrottlerStorage } from "../../src/nest-throttler.ts";
import { countedRedis, noRedis, ownPrefix, redisByDate, standStill } from "./clocked-redis.ts";
import { serve, type Storage } from "./nest-app.ts";

const ours = (redis = redisByDate()) =>
  new TidegateThrottlerStorage({ redis, prefix: ownPrefix(), timeout: "20s" });

const EACH = [
  ["ThrottlerStorageService", () => new ThrottlerStorageService()],
  ["TidegateThrottlerStorage", () => ours()],
] as const;

describe.for(EACH)("the throttler of Nest on %s", ([, create]) => {
  test("lets the limit pass with its fields, blocks, and begins anew after the block", async () => {
    const clock = standStill();
    const url = await serve(create(), { ttl: 10_000, limit: 2, blockDuration: 30_000 });
    const answers = [];
    for (const step of [0, 1_000, 1_000, 29_000, 1_000]) {
      clock.pass(step);
      const { status, headers } = await fetch(url);
      answers.push([status, headers.get("X-RateLimit-Remaining"), headers.get("Retry-After")]);
    }
    expect(answers).toEqual([
      [200, "1", null],
      [200, "0", null],
      [429, null, "30"],
      [429, null, "1"],
      [200, "1", null],
    ]);
  });

  test("counts hits, and none while it blocks, for as long as it is told", async () => {
    const clock = standStill();
    const storage: Storage = create();
    const records: Record<string, unknown[]> = {};
    // A block that is shorter than the window, one that is as long, and none.
    for (const [key, block] of Object.entries({ short: 2_000, equal: 10_000, none: 0 })) {
      records[key] = [];
      for (const step of [0, 1_000, 0, 1_000, 1_000]) {
        clock.pass(step);
        const { totalHits, isBlocked } = await storage.increment(key, 10_000, 2, block, "default");
        records[key].push(isBlocked ? `${totalHits}, blocked` : totalHits);
      }
    }
    expect(records).toEqual({
      short: [1, 2, "3, blocked", "3, blocked", 1],
      equal: [1, 2, "3, blocked", "3, blocked", "3, blocked"],
      none: [1, 2, "3, blocked", "3, blocked", "3, blocked"],
    });
  });

  test("says how long the window and the block last", async () => {
    const clock = standStill();
    const storage: Storage = create();
    const first = await storage.increment("ada", 10_000, 1, 20_000, "default");
    expect(first).toMatchObject({ totalHits: 1, timeToExpire: 10, isBlocked: false });
    clock.pass(4_500);
    const denied = await storage.increment("ada", 10_000, 1, 20_000, "default");
    expect(denied).toMatchObject({ timeToExpire: 6, isBlocked: true, timeToBlockExpire: 20 });
  });
});

describe("TidegateThrottlerStorage", () => {
  test("sends one command for a request, none for a client that it knows to be blocked", async () => {
    const { redis, costOf } = countedRedis();
    const storage = ours(redis);
    const increment = (key: string) => storage.increment(key, 60_000, 2, 60_000, "default");
    await increment("bob");
    const costs = [];
    for (let i = 0; i < 4; i++) costs.push(await costOf(() => increment("ada")));
    expect(costs).toEqual([1, 1, 1, 0]);
  });

  test("admits no more than the limit of requests that come at once", async () => {
    const storage = ours(countedRedis().redis);
    const all = Array.from({ length: 30 }, () =>
      storage.increment("ada", 60_000, 5, 60_000, "default"),
    );
    const passed = (await Promise.all(all)).filter(({ isBlocked }) => !isBlocked);
    expect(passed.map(({ totalHits }) => totalHits).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test("blocks everything with a limit of 0", async () => {
    const storage = new TidegateThrottlerStorage({ redis: noRedis });
    const { isBlocked } = await storage.increment("ada", 1_000, 0, 1_000, "default");
    expect(isBlocked).toBe(true);
  });
});
