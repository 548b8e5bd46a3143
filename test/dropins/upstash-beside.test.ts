import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import { runs } from "../support/runs.ts";
import { ANY_NUMBER, expectRow, farClient, overlapping, shownOf } from "./beside.ts";
import { connect, standStill } from "./clocked-redis.ts";
import {
  BOTH,
  type Builders,
  createOurs,
  createPeer,
  type Create,
  type Limiter,
  peerRedis,
} from "./upstash-places.ts";

const PAGE = "upstash-ratelimit";

const ALGORITHMS = {
  fixedWindow: ({ fixedWindow }: Builders) => fixedWindow(6, "1 d"),
  slidingWindow: ({ slidingWindow }: Builders) => slidingWindow(6, "1 d"),
  tokenBucket: ({ tokenBucket }: Builders) => tokenBucket(1, "1 d", 6),
};
type Name = keyof typeof ALGORITHMS;
const NAMES = Object.keys(ALGORITHMS) as Name[];

/** The peer's client, whose calls are delayed each by itself. */
function far(redis: ReturnType<typeof peerRedis>) {
  const { evalsha, eval: evaluate } = farClient({
    evalsha: (...call) => redis.evalsha(...call),
    eval: (...call) => redis.eval(...call),
  });
  return Object.assign(Object.create(redis) as typeof redis, { evalsha, eval: evaluate });
}

interface Call {
  readonly method: "limit" | "getRemaining" | "resetUsedTokens";
  readonly identifier: string;
  readonly rate: number;
}

const callOf = (rate: fc.Arbitrary<number>) =>
  fc.record<Call>({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant("limit" as const) },
      { weight: 2, arbitrary: fc.constantFrom(...(["getRemaining", "resetUsedTokens"] as const)) },
    ),
    identifier: fc.constantFrom("ada", "bob"),
    rate,
  });

async function shown(limiter: Limiter, { method, identifier, rate }: Call) {
  if (method === "resetUsedTokens") return limiter.resetUsedTokens(identifier);
  const answer =
    method === "limit"
      ? await limiter.limit(identifier, { rate })
      : await limiter.getRemaining(identifier);
  const { limit, remaining } = answer;
  const success = "success" in answer ? answer.success : undefined;
  // Of a denied request the peer says that nothing remains: a row of the table.
  return success === false ? { limit, success } : { limit, remaining, success };
}

describe("tidegate/upstash-ratelimit beside @upstash/ratelimit", () => {
  test.each(NAMES)("%s: any calls at one time, each answer is equal", async (name) => {
    const clock = standStill();
    clock.toGrid(86_400_000);
    const calls = fc.array(callOf(fc.integer({ min: -2, max: 3 })), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(calls, async (all) => {
        const options = { ephemeralCache: false } as const;
        const both = [createPeer, createOurs].map((create) => create(ALGORITHMS[name], options));
        const used = new Map<string, number>();
        for (const call of all) {
          const before = used.get(call.identifier) ?? 0;
          const after = before + call.rate;
          if (call.method === "limit") {
            // Rows of the table: what comes back, what a denied request takes, and a cost above what is left.
            if (after < 0 || (after > 6 && name !== "tokenBucket")) continue;
            if (after <= 6) used.set(call.identifier, after);
          } else if (call.method === "resetUsedTokens") {
            used.delete(call.identifier);
          }
          const [expected, actual] = await Promise.all(both.map((each) => shown(each, call)));
          expect(actual).toEqual(expected);
        }
      }),
      { numRuns: runs(50) },
    );
  });

  const gaps = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom(0, 1, 10_000)),
    { minLength: 1, maxLength: 40 },
  );

  test("fixedWindow: single requests at any times, each answer is equal", async () => {
    const clock = standStill();
    await fc.assert(
      fc.asyncProperty(gaps, async (all) => {
        clock.toGrid(10_000);
        const [peer, ours] = [createPeer, createOurs].map((create) =>
          create(({ fixedWindow }) => fixedWindow(6, "10 s"), { ephemeralCache: false }),
        );
        for (const passMs of all) {
          clock.pass(passMs);
          const { success, remaining, limit, reset } = await peer!.limit("ada");
          expect(await ours!.limit("ada")).toMatchObject({ success, remaining, limit, reset });
        }
      }),
      { numRuns: runs(50) },
    );
  });

  test("slidingWindow: single requests at any times, at most one less remains", async () => {
    expectRow(
      PAGE,
      "a sliding window rounds the earlier count down, so that one unit less counts than is covered",
    );
    const clock = standStill();
    await fc.assert(
      fc.asyncProperty(gaps, async (all) => {
        clock.toGrid(10_000);
        const [peer, ours] = [createPeer, createOurs].map((create) =>
          create(({ slidingWindow }) => slidingWindow(6, "10 s"), { ephemeralCache: false }),
        );
        for (const passMs of all) {
          clock.pass(passMs);
          const [theirs, own] = [await peer!.limit("ada"), await ours!.limit("ada")];
          expect(theirs.remaining - own.remaining).toBeGreaterThanOrEqual(0);
          expect(theirs.remaining - own.remaining).toBeLessThanOrEqual(1);
          // From then on, the counts differ.
          if (theirs.success !== own.success) break;
        }
      }),
      { numRuns: runs(50) },
    );
  });

  test("many requests at once, Redis 2 to 12 ms away: no more pass than the limit", async () => {
    const passed: Record<string, number[]> = {};
    for (const name of [...NAMES, "cachedFixedWindow"] as const) {
      const algorithm = (builders: Builders) =>
        name === "cachedFixedWindow"
          ? builders.cachedFixedWindow(6, "1 d")
          : ALGORITHMS[name](builders);
      passed[name] = [];
      const limiters = [
        createPeer(algorithm, { redis: far(peerRedis()) }),
        createOurs(algorithm, { redis: farClient(fromIoredis(connect())) }),
      ];
      for (const limiter of limiters) {
        const answers = await overlapping(runs(2_000), 100, () => limiter.limit("ada"));
        passed[name].push(answers.filter(({ success }) => success).length);
      }
    }
    const { cachedFixedWindow, ...exact } = passed;
    expect(exact).toEqual({ fixedWindow: [6, 6], slidingWindow: [6, 6], tokenBucket: [6, 6] });
    // The first answers of the peer come before its cache, and those of the cache before Redis.
    expect(cachedFixedWindow![0]).toBeGreaterThanOrEqual(6);
    expect(cachedFixedWindow![1]).toBeLessThanOrEqual(7);
    expect(cachedFixedWindow![1]).toBeGreaterThanOrEqual(6);
  });

  test("requests, and as many that give back, at once: no more pass than the limit and what came back", async () => {
    for (const name of NAMES) {
      const limiter = createOurs(ALGORITHMS[name], { redis: farClient(fromIoredis(connect())) });
      const answers = await overlapping(runs(1_000), 100, async (i) => {
        const rate = i % 20 === 7 ? -1 : 1;
        const { success } = await limiter.limit("ada", { rate });
        return rate > 0 && success;
      });
      const passed = answers.filter(Boolean).length;
      expect(passed).toBeGreaterThanOrEqual(6);
      expect(passed).toBeLessThanOrEqual(6 + runs(1_000) / 20);
    }
  });
});

describe("refunds and what is known to be denied", () => {
  const rate = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 3, arbitrary: fc.integer({ min: -4, max: -1 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<unknown>(0.5, -0.5, NaN, Infinity, "2", "x", null, 7, 1e9),
    },
  );

  test.each(NAMES)("%s: a limiter that remembers answers as one that does not", async (name) => {
    const clock = standStill();
    const steps = fc.array(fc.record({ rate, passMs: fc.constantFrom(0, 0, 0, 1, 5_000_000) }), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        clock.toGrid(86_400_000);
        const both = [false, undefined].map((ephemeralCache) =>
          createOurs(ALGORITHMS[name], ephemeralCache === false ? { ephemeralCache } : {}),
        );
        for (const { rate, passMs } of all) {
          clock.pass(passMs);
          const [expected, actual] = await Promise.all(
            both.map((limiter) =>
              limiter.limit("ada", { rate: rate as number }).then(
                ({ success, limit }) => ({ success, limit }),
                ({ code }: { code: string }) => ({ code }),
              ),
            ),
          );
          expect({ rate, ...actual }).toEqual({ rate, ...expected });
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test.each([0.5, 1.5, NaN, Infinity, "x", true, {}])(
    "a rate of %s is a mistake, also after tokens came back",
    async (wrong) => {
      standStill();
      const limiter = createOurs(({ fixedWindow }) => fixedWindow(2, "1 d"));
      await limiter.limit("ada", { rate: 2 });
      await limiter.limit("ada");
      await limiter.limit("ada", { rate: -1 });
      for (let i = 0; i < 9; i++) {
        const call = limiter.limit("ada", { rate: wrong as number });
        await expect(call).rejects.toMatchObject({ code: "ERR_COST" });
      }
      expect((await limiter.getRemaining("ada")).remaining).toBe(1);
    },
  );

  test("a cost above the limit, which never passes, does not bring back a denial that is over", async () => {
    standStill();
    const limiter = createOurs(({ fixedWindow }) => fixedWindow(2, "1 d"));
    await limiter.limit("ada", { rate: 2 });
    expect((await limiter.limit("ada")).success).toBe(false);
    await limiter.limit("ada", { rate: -1 });
    expect((await limiter.limit("ada", { rate: 3 })).success).toBe(false);
    expect((await limiter.limit("ada")).success).toBe(true);
  });
});

describe("arguments of any kind: as @upstash/ratelimit, or a row of docs/moving/upstash-ratelimit.md", () => {
  const ROW = "an empty identifier is counted, `rate: 1.5` is an error of Redis";
  const MISTAKES: readonly unknown[] = [
    "three",
    "",
    "2.5",
    true,
    NaN,
    Infinity,
    -Infinity,
    2.5,
    0.001,
    1e21,
    Number.MAX_VALUE,
    [],
    {},
  ];

  test.each(
    NAMES.flatMap((name) => ANY_NUMBER.map((value) => ({ name, rate: shownOf(value), value }))),
  )("$name, rate: $rate", async ({ name, value }) => {
    standStill().toGrid(86_400_000);
    const outcomes = [];
    for (const [, create] of BOTH) {
      const limiter = create(ALGORITHMS[name], { ephemeralCache: false });
      await limiter.limit("ada", { rate: 4 });
      outcomes.push(
        await limiter.limit("ada", { rate: value as number }).then(
          ({ success, remaining }) => (success ? remaining : "denied"),
          () => "an error",
        ),
      );
    }
    const isMistake = MISTAKES.some((each) => shownOf(each) === shownOf(value));
    if (isMistake) {
      expectRow(PAGE, ROW);
      expect(outcomes[1]).toBe("an error");
    } else if (name === "slidingWindow" && (value as number) > 2) {
      expectRow(PAGE, "a sliding window admits any cost while one token is left");
      expect(outcomes[1]).toBe("denied");
    } else {
      expect(outcomes[1]).toBe(outcomes[0]);
    }
  });

  test.each(ANY_NUMBER.map((value) => [shownOf(value), value]))("tokens: %s", async (_, value) => {
    standStill().toGrid(86_400_000);
    const passes = async (create: Create) => {
      const limiter = create(({ fixedWindow }) => fixedWindow(value as number, "1 d"));
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push((await limiter.limit("ada")).success);
      return answers;
    };
    const outcomes = [];
    for (const create of [createPeer, createOurs]) {
      outcomes.push(await passes(create).catch((error: Error) => error.name));
    }
    if (value === "3" || (Number.isSafeInteger(value) && (value as number) > 0)) {
      expect(outcomes[1]).toEqual(outcomes[0]);
    } else {
      expectRow(PAGE, "tokens that are no whole number from 1 deny all, or fail with each request");
      expect(outcomes[1]).toBe("ConfigurationError");
    }
  });

  test("blockUntilReady() without a time above 0 is a mistake", async () => {
    for (const [, create] of BOTH) {
      const limiter = create(({ fixedWindow }) => fixedWindow(1, "1 d"));
      for (const timeout of [0, -1, -Infinity]) {
        await expect(limiter.blockUntilReady("ada", timeout)).rejects.toThrow("positive");
      }
    }
    const limiter = createOurs(({ fixedWindow }) => fixedWindow(1, "1 d"));
    await expect(limiter.blockUntilReady("ada", NaN)).rejects.toThrow("positive");
  });
});
