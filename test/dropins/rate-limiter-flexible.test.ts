import {
  BurstyRateLimiter,
  type IRateLimiterStoreOptions,
  RateLimiterMemory,
  RateLimiterQueue,
  RateLimiterRes,
  RateLimiterUnion,
  RLWrapperBlackAndWhite,
} from "rate-limiter-flexible";
import { describe, expect, test } from "vitest";

import { ConfigurationError } from "../../src/index.ts";
import { fromIoredis } from "../../src/node.ts";
import { RateLimiterTidegate } from "../../src/rate-limiter-flexible.ts";
import {
  connect,
  countedRedis,
  noRedis,
  ownPrefix,
  redisByDate,
  standStill,
} from "./clocked-redis.ts";

type Options = Omit<IRateLimiterStoreOptions, "storeClient"> & {
  readonly points: number;
  readonly duration: number;
};

const ours = (options: Options, redis = redisByDate()) =>
  new RateLimiterTidegate({ ...options, keyPrefix: ownPrefix(), redis, timeout: "20s" });

const EACH = [
  ["RateLimiterMemory", (options: Options) => new RateLimiterMemory(options)],
  ["RateLimiterTidegate", (options: Options) => ours(options)],
] as const;

/** The answer or rejection of a call, as numbers: consumed, remaining, until the end. */
const shown = async (call: Promise<RateLimiterRes>) => {
  const [kind, result] = await call.then(
    (result) => ["passed", result] as const,
    (result: unknown) => ["denied", result] as const,
  );
  expect(result).toBeInstanceOf(RateLimiterRes);
  const { consumedPoints, remainingPoints, msBeforeNext } = result as RateLimiterRes;
  return [kind, consumedPoints, remainingPoints, msBeforeNext];
};

describe.for(EACH)("%s", ([, create]) => {
  test("counts more points than a thousand million, in one call and in several", async () => {
    standStill();
    const limiter = create({ points: 4e9, duration: 60 });
    expect(await shown(limiter.consume("ada", 3e9))).toEqual(["passed", 3e9, 1e9, 60_000]);
    expect(await shown(limiter.consume("ada", 1e9))).toEqual(["passed", 4e9, 0, 60_000]);
    expect(await shown(limiter.consume("ada"))).toEqual(["denied", 4e9 + 1, 0, 60_000]);
    expect(await shown(limiter.consume("bob", 5e9))).toEqual(["denied", 5e9, 0, 60_000]);
    await limiter.set("eve", 3e9, 60);
    expect(await shown(limiter.consume("eve", 2e9))).toEqual(["denied", 5e9, 0, 60_000]);
  });

  test("spreads actions over the duration", async () => {
    standStill();
    const limiter = create({ points: 100, duration: 1, execEvenly: true, execEvenlyMinDelayMs: 1 });
    expect((await limiter.consume("ada")).msBeforeNext).toBe(1_000);
    expect((await limiter.consume("ada")).msBeforeNext).toBe(990);
  });

  test("works inside of the package's wrappers, unions, queues and bursty limiters", async () => {
    standStill();
    const limiter = create({ points: 2, duration: 60 });
    const lists = new RLWrapperBlackAndWhite({ limiter, blackList: ["eve"], whiteList: ["bob"] });
    await expect(lists.consume("eve")).rejects.toBeInstanceOf(RateLimiterRes);
    for (let i = 0; i < 3; i++) await lists.consume("bob");
    await lists.consume("ada", 2);
    await expect(lists.consume("ada")).rejects.toBeInstanceOf(RateLimiterRes);

    const union = new RateLimiterUnion(
      create({ points: 1, duration: 60, keyPrefix: "minute" }) as RateLimiterMemory,
      create({ points: 5, duration: 3600, keyPrefix: "hour" }) as RateLimiterMemory,
    );
    await union.consume("ada");
    await expect(union.consume("ada")).rejects.toBeTypeOf("object");

    const bursty = new BurstyRateLimiter(
      create({ points: 1, duration: 1 }) as RateLimiterMemory,
      create({ points: 1, duration: 5 }) as RateLimiterMemory,
    );
    await bursty.consume("ada");
    await bursty.consume("ada");
    await expect(bursty.consume("ada")).rejects.toBeInstanceOf(RateLimiterRes);

    const queue = new RateLimiterQueue(create({ points: 2, duration: 60 }) as RateLimiterMemory);
    expect(await queue.removeTokens(1, "ada")).toBe(1);
    expect(await queue.getTokensRemaining("ada")).toBe(1);
  });
});

describe("RateLimiterTidegate", () => {
  test("sends one command for each method, and for a consume that blocks; none where this process blocks", async () => {
    const { redis, costOf } = countedRedis();
    const options = { points: 1, duration: 60, blockDuration: 300, inMemoryBlockOnConsumed: 3 };
    const limiter = ours(options, redis);
    await limiter.get("ada");
    const costs = [];
    for (const call of [
      () => limiter.consume("ada"),
      () => limiter.consume("ada"),
      () => limiter.consume("ada"),
      () => limiter.consume("ada"),
      () => limiter.penalty("bob"),
      () => limiter.reward("bob"),
      () => limiter.set("bob", 1, 60),
      () => limiter.block("bob", 60),
      () => limiter.get("bob"),
      () => limiter.delete("bob"),
    ]) {
      costs.push(await costOf(() => (call() as Promise<unknown>).catch(() => {})));
    }
    expect(costs).toEqual([1, 1, 1, 0, 1, 1, 1, 1, 1, 1]);
  });

  test("a key expires when its points do, or its block", async () => {
    const keys = connect();
    const keyPrefix = ownPrefix();
    const redis = fromIoredis(keys);
    const options = { points: 1, duration: 60, blockDuration: 300, keyPrefix, redis };
    const limiter = new RateLimiterTidegate({ ...options, timeout: "20s" });
    const [key, left] = [
      `${keyPrefix}:{ada}:points`,
      async () => Math.round((await keys.pttl(key)) / 1e4),
    ];
    await limiter.consume("ada");
    expect(await left()).toBe(6);
    await limiter.consume("ada").catch(() => {});
    expect(await left()).toBe(30);
    await limiter.consume("ada").catch(() => {});
    expect(await left()).toBe(30);
    await limiter.delete("ada");
    expect(await keys.keys(`${keyPrefix}*`)).toEqual([]);
  });

  test("deleteInMemoryBlockedAll() lifts the blocks of this process", async () => {
    const { redis, costOf } = countedRedis();
    const limiter = ours({ points: 1, duration: 60, inMemoryBlockOnConsumed: 2 }, redis);
    await limiter.consume("ada", 2).catch(() => {});
    const consume = () => limiter.consume("ada").catch(() => {});
    expect(await costOf(consume)).toBe(0);
    limiter.deleteInMemoryBlockedAll();
    expect(await costOf(consume)).toBe(1);
    await limiter.delete("ada");
    expect((await limiter.consume("ada")).consumedPoints).toBe(1);
  });

  test("denies for the rest of the duration what exceeds all numbers", async () => {
    const clock = standStill();
    const most = 2 ** 52;
    const limiter = ours({ points: 5, duration: 60 });
    for (const points of [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1]) {
      expect(await shown(limiter.consume("ada", points))).toEqual(["denied", most, 0, 60_000]);
    }
    clock.pass(60_000);
    expect(await shown(limiter.consume("ada"))).toEqual(["passed", 1, 4, 60_000]);
  });

  test.each([1.5, NaN, Infinity, {}, "1.5", 2 ** 53])(
    "rejects %s points, keeps the count, and sends no command",
    async (points) => {
      const { redis, sent } = countedRedis();
      const limiter = ours({ points: 5, duration: 60 }, redis);
      await limiter.consume("ada", 3);
      await limiter.block("eve", 60);
      const before = sent();
      for (const key of ["ada", "eve"]) {
        for (const call of ["consume", "penalty", "reward"] as const) {
          const answer = limiter[call](key, points as number);
          await expect(answer).rejects.toMatchObject({ code: "ERR_COST" });
        }
        const set = limiter.set(key, points as number, 60);
        await expect(set).rejects.toMatchObject({ code: "ERR_COST" });
      }
      expect(sent()).toBe(before);
      expect((await limiter.get("ada"))!.consumedPoints).toBe(3);
      expect((await limiter.get("eve"))!.consumedPoints).toBe(6);
    },
  );

  test("has all faults of its options, each with a code and the option's own name", () => {
    const faultsOf = (options: unknown) => {
      try {
        new RateLimiterTidegate(options as never).toString();
        return [];
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        return (error as ConfigurationError).faults.map(({ path, code }) => `${path} ${code}`);
      }
    };
    const right = { redis: noRedis, points: 1, duration: 60 };
    expect(faultsOf(right)).toEqual([]);
    for (const [wrong, code] of [
      [{ points: "1" }, "shape"],
      [{ points: NaN }, "shape"],
      [{ duration: -1 }, "range"],
      [{ duration: Infinity }, "range"],
      [{ duration: "60" }, "range"],
      [{ blockDuration: -1 }, "range"],
      [{ blockDuration: Infinity }, "range"],
      [{ execEvenly: "yes" }, "shape"],
      [{ execEvenly: true, execEvenlyMinDelayMs: -1 }, "range"],
      [{ blockDuration: NaN }, "range"],
      [{ blockOnConsumed: 0.5 }, "range"],
      [{ points: 3, inMemoryBlockOnConsumed: 2 }, "range"],
      [{ inMemoryBlockDuration: 1 }, "conflict"],
      [{ keyPrefix: 7 }, "shape"],
      [{ keyPrefix: "a".repeat(65) }, "shape"],
      [{ onFailure: "closed" }, "choice"],
      [{ storeClient: {} }, "unknown-option"],
      [{ prefix: "tg" }, "unknown-option"],
    ] as const) {
      expect(faultsOf({ ...right, ...wrong })).toEqual([`${Object.keys(wrong).at(-1)} ${code}`]);
    }
    const hugeTimes = { duration: 3e8, blockDuration: 100 / 3, keyPrefix: "a b" };
    expect(faultsOf({ ...right, ...hugeTimes })).toEqual([]);
    expect(faultsOf({ redis: noRedis })).toEqual(["points shape", "duration range"]);
    expect(faultsOf({ redis: 7, points: 1, duration: -1 })).toEqual([
      "duration range",
      expect.stringMatching(/^redis /),
    ]);
    // The Redis stands under its earlier name, so it is not missing as well.
    const moved = { storeClient: {}, points: 1, duration: -1 };
    expect(faultsOf(moved)).toEqual(["storeClient unknown-option", "duration range"]);
    expect(faultsOf(undefined)).toContain("options shape");
  });

  test.each([
    ["storeClient", "fromIoredis(client)"],
    ["insuranceLimiter", "onFailure"],
    ["rejectIfRedisNotReady", "timeout"],
    ["useRedisPackage", "fromNodeRedis(client)"],
    ["useRedis3AndLowerPackage", "fromNodeRedis(client)"],
    ["customIncrTtlLuaScript", "Leave it out"],
    ["tableName", "Leave it out"],
  ])("%s is a fault that says what to do, and nothing of its value", (option, remedy) => {
    const options = { redis: noRedis, points: 1, duration: 60, [option]: { password: "a-secret" } };
    const made = () => new RateLimiterTidegate(options as never);
    expect(made).toThrow(remedy);
    expect(made).not.toThrow("a-secret");
  });
});
