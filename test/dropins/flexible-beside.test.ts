import fc from "fast-check";
import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type IRateLimiterStoreOptions,
} from "rate-limiter-flexible";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { memoryStore, type RedisClient, StoreError } from "../../src/index.ts";
import { fromIoredis } from "../../src/node.ts";
import { RateLimiterTidegate } from "../../src/rate-limiter-flexible.ts";
import { runs, some } from "../support/runs.ts";
import {
  ANY_NUMBER,
  expectPassing,
  expectRow,
  farClient,
  farIoredis,
  faultyClient,
  overlapping,
  rowOf,
  shownOf,
} from "./beside.ts";
import { connect, noRedis, ownPrefix, quietly, redisByDate, standStill } from "./clocked-redis.ts";

type Options = Omit<IRateLimiterStoreOptions, "storeClient"> & {
  readonly points: number;
  readonly duration: number;
};
type Limiter = RateLimiterMemory | RateLimiterRedis | RateLimiterTidegate;

const ours = (options: Options, redis: RedisClient = fromIoredis(connect())) =>
  new RateLimiterTidegate({ ...options, keyPrefix: ownPrefix(), redis, timeout: "20s" });
const theirs = (options: Options, redis = connect()) =>
  new RateLimiterRedis({ ...options, keyPrefix: ownPrefix(), storeClient: redis });

/** Lets all clocks and timers of this process stand still until the test moves them. */
function fakeTime(): void {
  vi.useFakeTimers({
    toFake: ["Date", "performance", "setTimeout", "clearTimeout"],
    now: Date.now() + 3_600_000,
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** An answer as it can be compared. */
async function shown(call: Promise<unknown>) {
  const [kind, result] = await call.then(
    (value) => ["resolved", value] as const,
    (error: unknown) => ["rejected", error] as const,
  );
  if (!(result instanceof RateLimiterRes)) {
    return [kind, result instanceof Error ? "an Error" : result];
  }
  const { consumedPoints, remainingPoints, msBeforeNext, isFirstInDuration } = result;
  return [kind, consumedPoints, remainingPoints, msBeforeNext, isFirstInDuration];
}

/** A call of any method, with one of a few keys. */
interface Call {
  readonly method: "consume" | "penalty" | "reward" | "get" | "set" | "block" | "delete" | "pass";
  readonly key: string;
  readonly points: number;
  readonly seconds: number;
  readonly custom: number | undefined;
}

function perform(limiter: Limiter, { method, key, points, seconds, custom }: Call) {
  const options = custom === undefined ? {} : { customDuration: custom };
  if (method === "set") return limiter.set(key, points, seconds);
  if (method === "block") return limiter.block(key, seconds);
  if (method === "get" || method === "delete") return limiter[method](key);
  return limiter[method as "consume"](key, points, options);
}

const callOf = (seconds: fc.Arbitrary<number>) =>
  fc.record<Call>({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant("consume" as const) },
      { weight: 3, arbitrary: fc.constant("pass" as const) },
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          ...(["penalty", "reward", "get", "set", "block", "delete"] as const),
        ),
      },
    ),
    key: fc.constantFrom("ada", "bob"),
    points: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom(1, 1, 1, -2, 1e9, 2 ** 40)),
    seconds,
    custom: fc.option(seconds, { freq: 4, nil: undefined }),
  });

const limits = fc.oneof(fc.integer({ min: -1, max: 7 }), fc.constant(1e10));

describe("RateLimiterTidegate beside RateLimiterMemory", () => {
  /** Milliseconds that are whole, of seconds that are not. */
  const seconds = fc.constantFrom(0, 0.001, 0.25, 1, 1.5, 2.048, 60, 1_000);

  const inMemory = () => memoryStore({ now: () => Date.now() * 1000 });

  test.each([
    ["in Redis", () => ({ redis: redisByDate() })],
    ["in memoryStore()", () => ({ store: inMemory() })],
  ])("any calls, any times, %s: each answer is equal", async (_, placeOf) => {
    fakeTime();
    const place = placeOf();
    const settings = fc.record({ points: limits, duration: seconds, blockDuration: seconds });
    const steps = fc.array(callOf(seconds), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(settings, steps, async (options, calls) => {
        const own = new RateLimiterTidegate({ ...options, ...place, keyPrefix: ownPrefix() });
        const both = [new RateLimiterMemory(options), own];
        for (const call of calls) {
          if (call.method === "pass") {
            vi.advanceTimersByTime(Math.round(call.seconds * 1000));
            continue;
          }
          const [expected, actual] = await Promise.all(
            both.map((limiter) => shown(perform(limiter, call))),
          );
          // Which points are the first ones, RateLimiterRedis says otherwise.
          expect(actual!.slice(0, 4)).toEqual(expected!.slice(0, 4));
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test("execEvenly: what is left after each delay is equal", async () => {
    // The delays pass in real time, and the clock stands still: what is left tells how long they were.
    standStill();
    for (const more of [{}, { execEvenlyMinDelayMs: 7 }, { points: 0 }, { blockDuration: 9 }]) {
      const options = { points: 40, duration: 1, execEvenly: true, ...more };
      const own = new RateLimiterTidegate({ ...options, store: inMemory() });
      const answers = [];
      for (const limiter of [new RateLimiterMemory(options), own]) {
        const all = [];
        for (const points of [1, 1, 2, 1, 40, 1]) {
          all.push((await shown(limiter.consume("ada", points))).slice(0, 4));
        }
        answers.push(all);
      }
      expect(answers[1]).toEqual(answers[0]);
    }
  });
});

describe("RateLimiterTidegate beside RateLimiterRedis", () => {
  /** Whole seconds, which that class counts in. Far apart, so that what a call takes makes no difference. */
  const TIMES = [1_000, 30_000, 1_000_000, 315_360_000] as const;
  const seconds = fc.constantFrom<number>(...TIMES);

  /** The nearest of the times, in place of what is left of it. */
  const rounded = (answer: unknown[]) => {
    const [kind, consumed, remaining, ms, isFirst] = answer;
    if (typeof ms !== "number" || ms <= 0) return answer;
    return [kind, consumed, remaining, TIMES.find((each) => each * 1000 >= ms), isFirst];
  };

  const NO_BLOCKS = { blockOnConsumed: 0, inMemoryBlockOnConsumed: 0 };

  test("any calls: each answer is equal", async () => {
    const redis = connect();
    const settings = fc.record({
      points: limits,
      duration: seconds,
      blockDuration: seconds,
      blockOnConsumed: fc.constantFrom(0, 0, 8, 10),
      inMemoryBlockOnConsumed: fc.constantFrom(0, 0, 7, 9),
      inMemoryBlockDuration: fc.constantFrom(0, 1_000),
    });
    const steps = fc.array(callOf(seconds), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(settings, steps, async (drawn, calls) => {
        const options = drawn.points > 7 ? { ...drawn, ...NO_BLOCKS } : { ...drawn };
        if (options.inMemoryBlockOnConsumed === 0)
          Object.assign(options, { inMemoryBlockDuration: 0 });
        // Where that class leaves out a block: a row of the table.
        else if (options.inMemoryBlockDuration === 0) options.blockDuration = 0;
        const both = [theirs(options, redis), ours(options, fromIoredis(redis))];
        for (const call of calls) {
          if (call.method === "pass") continue;
          const [their, own] = await Promise.all(
            both.map((limiter) => shown(perform(limiter, call))),
          );
          expect(rounded(own!)).toEqual(rounded(their!));
        }
      }),
      { numRuns: runs(150) },
    );
  });

  /** The options of a crowd's limiter, and what each of its tries costs. */
  type Crowd = Options & { readonly cost?: number; readonly customDuration?: number };

  test("many tries at once, Redis 2 to 12 ms away: as many pass", async () => {
    const redis = connect();
    const cases: readonly Crowd[] = some([
      { points: 5, duration: 60, blockDuration: 300 },
      { points: 5, duration: 60, blockDuration: 100 / 3 },
      { points: 5, duration: 60, blockDuration: 300, customDuration: 600 },
      { points: 7, duration: 0.25 * 3_600, blockDuration: 30, cost: 3 },
      { points: 5, duration: 60, blockDuration: 300, blockOnConsumed: 9 },
      { points: 5, duration: 60 },
    ]);
    const passed: number[][] = [];
    for (const { cost = 1, customDuration, ...options } of cases) {
      const both = [
        theirs(options, farIoredis(redis)),
        ours(options, farClient(fromIoredis(redis))),
      ];
      const admitted = [];
      for (const limiter of both) {
        const answers = await overlapping(runs(2_000), 100, async () => {
          const call = limiter.consume("ada", cost, customDuration ? { customDuration } : {});
          return (await shown(call))[0];
        });
        admitted.push(answers.filter((each) => each === "resolved").length);
      }
      passed.push(admitted);
    }
    expect(passed).toEqual(
      cases.map(({ points, cost = 1 }) => Array(2).fill(Math.floor(points / cost))),
    );
  });

  test("tries, blocks, penalties and rewards at once: never more than the points and those that came back", async () => {
    const redis = connect();
    const limiter = ours(
      { points: 5, duration: 60, blockDuration: 300 },
      farClient(fromIoredis(redis)),
    );
    const answers = await overlapping(1_000, 100, async (i) => {
      if (i % 50 === 7) return (await limiter.penalty("ada"), 0);
      if (i % 50 === 31) return (await limiter.reward("ada"), 0);
      return (await shown(limiter.consume("ada")))[0] === "resolved" ? 1 : 0;
    });
    const passed = answers.reduce((sum: number, each) => sum + each, 0);
    expect(passed).toBeLessThanOrEqual(5 + 20);
    expect((await limiter.get("ada"))!.consumedPoints).toBe(1_000 - 40);
  });

  test.each([{}, { inMemoryBlockOnConsumed: 6 }])(
    "calls of one turn, with %j: each answer is equal, in their order",
    async (more) => {
      const redis = connect();
      const options = { points: 5, duration: 600, ...more };
      const answers = [];
      for (const limiter of [theirs(options, redis), ours(options, fromIoredis(redis))]) {
        // Redis has the script from here on.
        await limiter.penalty("bob");
        const calls = [
          limiter.consume("ada"),
          limiter.set("ada", 3, 60),
          limiter.consume("ada"),
          limiter.reward("ada", 2),
          limiter.consume("ada", 2),
          limiter.delete("ada"),
        ];
        answers.push(await Promise.all(calls.map(async (call) => (await shown(call)).slice(0, 2))));
      }
      expect(answers[1]).toEqual(answers[0]);
    },
  );

  test("at most one of several that delete a key at once did so", async () => {
    const redis = connect();
    for (const limiter of [
      theirs({ points: 5, duration: 60 }, farIoredis(redis)),
      ours({ points: 5, duration: 60 }, farClient(fromIoredis(redis))),
    ]) {
      await limiter.consume("ada");
      const deleted = await overlapping(20, 2, () => limiter.delete("ada"));
      expect(deleted.filter(Boolean)).toHaveLength(1);
    }
  });
});

describe("arguments of any kind: as RateLimiterRedis, or a row of docs/moving/rate-limiter-flexible.md", () => {
  const PAGE = "rate-limiter-flexible";
  const options = { points: 5, duration: 600, blockDuration: 6_000 };

  /** The answer to a call after some points, and what it left; times to ten seconds. */
  async function outcome(limiter: Limiter, call: (limiter: Limiter) => Promise<unknown>) {
    await limiter.consume("ada", 2);
    const answers = [await shown(Promise.resolve().then(() => call(limiter)))];
    answers.push(await shown(limiter.get("ada")));
    return answers.map(([kind, consumed, remaining, ms]) =>
      typeof ms === "number"
        ? [kind, Number(consumed), remaining, ms > 0 ? Math.ceil(ms / 1e4) : ms]
        : [kind, consumed],
    );
  }

  const DIFFERENT_POINTS = {
    "more than 2^52 points": [2 ** 52, Number.MAX_SAFE_INTEGER, 1e21, Number.MAX_VALUE],
  };

  test.each(ANY_NUMBER.map((value) => [shownOf(value), value]))("%s points", async (_, value) => {
    const [row] = rowOf(DIFFERENT_POINTS, value);
    if (row) expectRow(PAGE, row);
    for (const method of ["consume", "penalty", "reward", "set"] as const) {
      const call = (limiter: Limiter) => limiter[method]("ada", value as number, 60 as never);
      const expected = await outcome(theirs(options), call);
      const actual = await outcome(ours(options), call);
      if (row) expect([2, 2 ** 52, 2 - 2 ** 52]).toContain(actual[1]![1]);
      else expect([method, actual]).toEqual([method, expected]);
    }
  });

  const DIFFERENT_TIMES = {
    "fractions of a second": ["2.5", 2.5, 0.001],
    "a time of more than 133 years": [
      Infinity,
      2 ** 52,
      1e21,
      Number.MAX_SAFE_INTEGER,
      Number.MAX_VALUE,
    ],
  };

  test.each(ANY_NUMBER.map((value) => [shownOf(value), value]))("%s seconds", async (_, value) => {
    const [row] = rowOf(DIFFERENT_TIMES, value);
    if (row) expectRow(PAGE, row);
    const isFraction = row === "fractions of a second";
    if (isFraction) fakeTime();
    const seconds = value as number;
    for (const call of [
      (limiter: Limiter) => limiter.consume("bob", 1, { customDuration: seconds }),
      (limiter: Limiter) => limiter.penalty("bob", 1, { customDuration: seconds }),
      (limiter: Limiter) => limiter.consume("ada", 1, { customDuration: seconds }),
      (limiter: Limiter) => limiter.block("ada", seconds),
      (limiter: Limiter) => limiter.set("ada", 3, seconds),
    ]) {
      const their = isFraction ? new RateLimiterMemory(options) : theirs(options);
      const own = ours(options, isFraction ? redisByDate() : undefined);
      const [expected, actual] = [await outcome(their, call), await outcome(own, call)];
      const answers = { call: call.toString(), answers: actual };
      if (!row || isFraction) expect(answers).toEqual({ ...answers, answers: expected });
      else expect(actual.flat()).not.toContain("an Error");
    }
  });

  test("a time of more than 133 years does not end", async () => {
    for (const seconds of DIFFERENT_TIMES["a time of more than 133 years"]) {
      const limiter = ours(options);
      const once = await limiter.consume("ada", 1, { customDuration: seconds });
      await limiter.block("bob", seconds);
      expect([once.msBeforeNext, (await limiter.get("bob"))!.msBeforeNext]).toEqual([-1, -1]);
    }
  });

  test("keys: two are one exactly where they are one for the package", async () => {
    const keys = [
      "",
      "ada",
      42,
      "42",
      0,
      "0",
      "a:b",
      "{a}",
      "}",
      "%",
      "%25",
      "#1",
      " ",
      "\n",
      "ä",
      "💧",
    ];
    const odd = [undefined, null, true, NaN, {}, [], "x".repeat(1_000), "__proto__", "*", "~"];
    const all = [...keys, ...odd] as string[];
    const [their, own] = [theirs(options), ours(options)];
    for (const limiter of [their, own]) for (const key of all) await limiter.penalty(key);
    for (const key of all) {
      const counted = [their, own].map(async (limiter) => (await limiter.get(key))!.consumedPoints);
      expect([key, await counted[1]]).toEqual([key, await counted[0]]);
    }
  });

  test.each(["rlflx", "", "a b", "ä", "login:{x}"])(
    "getKey() and parseKey() with the prefix %j",
    (keyPrefix) => {
      const their = new RateLimiterMemory({ ...options, keyPrefix });
      const own = new RateLimiterTidegate({ ...options, keyPrefix, redis: fromIoredis(connect()) });
      for (const key of ["ada", 42, "", "a:b"]) {
        expect(own.getKey(key)).toBe(their.getKey(key as string));
        expect(own.parseKey(String(own.getKey(key)))).toBe(
          their.parseKey(String(their.getKey(key as string))),
        );
      }
      expect(own.keyPrefix).toBe(keyPrefix);
    },
  );

  test("block(key, 0) is for ever: RateLimiterRedis ends it with the next call", async () => {
    expectRow(PAGE, "`block(key, 0)`, and points without an end");
    const left = [];
    for (const limiter of [theirs(options), ours(options), new RateLimiterMemory(options)]) {
      await limiter.block("ada", 0);
      await limiter.consume("ada").catch(() => {});
      left.push((await limiter.get("ada"))!.msBeforeNext > 0);
    }
    expect(left).toEqual([true, false, false]);
  });

  test("blockDuration holds beside inMemoryBlockOnConsumed, and counts every point", async () => {
    expectRow(PAGE, "`blockDuration` with `inMemoryBlockOnConsumed`");
    const both = { ...options, points: 2, inMemoryBlockOnConsumed: 3 };
    const lefts = [];
    for (const limiter of [theirs(both), ours(both)]) {
      for (let i = 0; i < 3; i++) await limiter.consume("ada").catch(() => {});
      lefts.push(Math.ceil((await limiter.get("ada"))!.msBeforeNext / 600_000));
    }
    expect(lefts).toEqual([1, 10]);
  });

  test("points that are no whole number", async () => {
    expectRow(PAGE, "`block()` with `points: 2.5`");
    const passed = [];
    for (const limiter of [
      theirs({ ...options, points: 2.5 }),
      ours({ ...options, points: 2.5 }),
    ]) {
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push((await shown(limiter.consume("ada"))).slice(0, 3));
      passed.push(answers);
    }
    expect(passed[1]).toEqual(passed[0]);
    expect((await ours({ ...options, points: 2.5 }).block("ada", 9)).consumedPoints).toBe(3);
    await expect(theirs({ ...options, points: 2.5 }).block("ada", 9)).rejects.toThrow("decimal");
  });
});

describe("without Redis", () => {
  /** An ioredis that cannot be reached. */
  const unreachable = () => {
    const fail = () => Promise.reject(new Error("connect ECONNREFUSED"));
    const multi = {
      set: () => multi,
      incrby: () => multi,
      pttl: () => multi,
      get: () => multi,
      exec: fail,
    };
    return { multi: () => multi, rlflxIncr: fail, del: fail, defineCommand: () => {} } as never;
  };

  test("any calls, any times: as RateLimiterRedis with an insuranceLimiter in memory", async () => {
    quietly();
    fakeTime();
    const seconds = fc.constantFrom(0, 0.25, 1, 60, 1_000);
    const settings = fc.record({ points: limits, duration: seconds, blockDuration: seconds });
    const steps = fc.array(callOf(seconds), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(settings, steps, async (options, calls) => {
        const insuranceLimiter = new RateLimiterMemory(options);
        const insured = { ...options, insuranceLimiter, storeClient: unreachable() };
        const both = [new RateLimiterRedis(insured), ours(options, noRedis)];
        for (const call of calls) {
          if (call.method === "pass") {
            vi.advanceTimersByTime(Math.round(call.seconds * 1000));
            continue;
          }
          const [insurance, own] = await Promise.all(
            both.map((limiter) => shown(perform(limiter, call))),
          );
          expect(own!.slice(0, 4)).toEqual(insurance!.slice(0, 4));
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test("an outage goes on from what Redis said: the count and the block hold to their end", async () => {
    quietly();
    fakeTime();
    const options = { points: 5, duration: 60, blockDuration: 30 };
    const faulty = faultyClient(redisByDate());
    const limiter = ours(options, faulty.redis);
    const passed = async (key: string, tries: number) => {
      let count = 0;
      for (let i = 0; i < tries; i++) {
        const [kind, result] = await shown(limiter.consume(key));
        expect(result).not.toBe("an Error");
        count += Number(kind === "resolved");
      }
      return count;
    };
    expect(await passed("counted", 3)).toBe(3);
    expect(await passed("blocked", 9)).toBe(5);
    await limiter.block("longer", 3_600);
    faulty.fault = "gone";
    vi.advanceTimersByTime(29_999);
    expect(await passed("counted", 9)).toBe(2);
    expect(await passed("blocked", 9)).toBe(0);
    expect(await passed("longer", 9)).toBe(0);
    expect(await passed("unseen", 9)).toBe(5);
    vi.advanceTimersByTime(1);
    expect(await passed("blocked", 9)).toBe(5);
    vi.advanceTimersByTime(3_569_999);
    expect(await passed("longer", 1)).toBe(0);
    vi.advanceTimersByTime(1);
    expect(await passed("longer", 9)).toBe(5);
  });

  test.each([0, 300])(
    "Redis that goes and comes back, replies that are lost, a block of %i s: no more than twice the points",
    async (blockDuration) => {
      quietly();
      await expectPassing(10, runs(30), (redis) => {
        const limiter = ours({ points: 5, duration: 60, blockDuration }, redis);
        return async () => (await shown(limiter.consume("ada")))[0] === "resolved";
      });
    },
  );

  test("counts as the insuranceLimiter of another", async () => {
    const insuranceLimiter = ours({ points: 2, duration: 60 });
    const insured = new RateLimiterRedis({
      points: 2,
      duration: 60,
      blockDuration: 6_000,
      insuranceLimiter,
      storeClient: unreachable(),
    });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await shown(insured.consume("ada")));
    expect(answers.map(([kind, consumed]) => [kind, consumed])).toEqual([
      ["resolved", 1],
      ["resolved", 2],
      ["rejected", 3],
    ]);
    expect(answers[2]![3]).toBe(6_000_000);
  });

  test('with onFailure: "error" every method rejects with a StoreError', async () => {
    quietly();
    const failing = new RateLimiterTidegate({
      points: 5,
      duration: 60,
      redis: noRedis,
      onFailure: "error",
    });
    for (const call of [
      () => failing.consume("ada"),
      () => failing.penalty("ada"),
      () => failing.reward("ada"),
      () => failing.get("ada"),
      () => failing.set("ada", 1, 60),
      () => failing.block("ada", 60),
      () => failing.delete("ada"),
    ]) {
      await expect(call()).rejects.toThrow(StoreError);
    }
  });
});
