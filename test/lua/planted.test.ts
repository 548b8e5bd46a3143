import { describe, expect, test } from "vitest";

import { DECIDE, EXTEND, REFUND } from "../../src/algorithms/scripts.generated.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { concurrency } from "../../src/features/holds/concurrency-option.ts";
import { scriptFor, scriptOf } from "../../src/store/redis/script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { testRedis } from "../support/test-redis.ts";
import { PLANTED } from "./planted.ts";

const redis = testRedis();

const subjects = everyPolicy(5, "10m").map((policy) => ({
  subject: policy.algorithm as string,
  compiled: compilePolicy(policy),
}));

describe.each(subjects)("$subject", ({ compiled }) => {
  const { limit, scriptArguments } = compiled;
  const { text } = scriptFor(DECIDE, [compiled]);

  test.for(Object.keys(PLANTED))(
    "answers over %s, never without limit, and mends it",
    async (name) => {
      const key = `tg:{${crypto.randomUUID()}}:planted`;
      await PLANTED[name]!(redis, key);
      let passed = 0;
      for (let request = 0; request < 3 * limit; request++) {
        const reply = await redis.eval(text, 1, key, "consume", 1, ...scriptArguments);
        const [, allowed, remaining, retryAfterUs, resetAfterUs] = reply as number[];
        passed += allowed!;
        expect(remaining).toBeGreaterThanOrEqual(0);
        expect(remaining).toBeLessThanOrEqual(limit);
        // At most two windows, and one more where what stood there looked like a time to come.
        expect(retryAfterUs).toBeLessThanOrEqual(3 * 600e6);
        expect(resetAfterUs).toBeLessThanOrEqual(3 * 600e6);
      }
      expect(passed).toBeLessThanOrEqual(limit);
      // Mended or emptied: the rest has an end.
      const left = await redis.pttl(key);
      expect(passed === 0 || left > 0).toBe(true);
    },
  );

  test.for(Object.keys(PLANTED))("gives back over %s no more than is asked", async (name) => {
    const key = `tg:{${crypto.randomUUID()}}:planted`;
    await PLANTED[name]!(redis, key);
    const takenAtUs = Date.now() * 1000 - 1e6;
    const reply = await redis.eval(scriptOf(REFUND).text, 1, key, takenAtUs, 3, ...scriptArguments);
    const [, given] = reply as number[];
    expect(given).toBeGreaterThanOrEqual(0);
    expect(given).toBeLessThanOrEqual(3 * (compiled.parameters["intervalUs"] ?? 1));
  });
});

test.for([
  ["a log of a window of nine years", slidingWindowLog({ limit: 5, window: "10m" })],
  ["segments of a window of 500 years", segmentedWindow({ limit: 5, window: "10m" })],
  ["segments of two windows of 500 years", segmentedWindow({ limit: 5, window: "10m" })],
  ["counts of a window of 34 years", slidingWindowCounter({ limit: 5, window: "10m" })],
  ["counts of two windows of 34 years", slidingWindowCounter({ limit: 5, window: "10m" })],
] as const)("%s keep no key for years", async ([name, policy]) => {
  const compiled = compilePolicy(policy);
  const { text } = scriptFor(DECIDE, [compiled]);
  const key = `tg:{${crypto.randomUUID()}}:planted`;
  await PLANTED[name]!(redis, key);
  for (let request = 0; request < 2; request++) {
    await redis.eval(text, 1, key, "consume", 1, ...compiled.scriptArguments);
  }
  expect(await redis.pttl(key)).toBeGreaterThan(0);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(2 * 600_000 + 10);
});

const TTL_US = 60e6;
const slots = compilePolicy(concurrency({ limit: 5, ttl: "60s" }));
const takesSlots = scriptFor(DECIDE, [slots]).text;

/** Values that only another sorted set can be. */
const SORTED_SETS: typeof PLANTED = {
  "slots without an end": (redis, key) => redis.zadd(key, "+inf", "a", "+inf", "b"),
  "slots that ended before time began": (redis, key) => redis.zadd(key, "-inf", "a", -1, "b"),
  "slots that end at fractions": (redis, key) =>
    redis.zadd(key, Date.now() * 1000 + 0.5, "a", Date.now() * 1000 + 30e6 + 0.25, "b"),
  "more slots than there are": (redis, key) =>
    redis.zadd(key, ...Array.from({ length: 50 }, (_, i) => [Date.now() * 1000 + 90e6, i]).flat()),
};
const planted = { ...PLANTED, ...SORTED_SETS };

const consume = async (key: string, id: string | number) => {
  const more = ["e", id, TTL_US];
  const reply = await redis.eval(
    takesSlots,
    1,
    key,
    "consume",
    1,
    ...slots.scriptArguments,
    ...more,
  );
  const [, allowed, remaining, retryAfterUs, resetAfterUs] = reply as number[];
  return { allowed: allowed!, remaining, retryAfterUs, resetAfterUs };
};

test.for(Object.keys(planted))(
  "concurrency answers over %s, never without limit, and mends it",
  async (name) => {
    const key = `tg:{${crypto.randomUUID()}}:planted`;
    await planted[name]!(redis, key);
    let passed = 0;
    for (let request = 0; request < 15; request++) {
      const { allowed, remaining, retryAfterUs, resetAfterUs } = await consume(
        key,
        `id-${request}`,
      );
      passed += allowed;
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(remaining).toBeLessThanOrEqual(5);
      expect(retryAfterUs).toBeLessThanOrEqual(TTL_US);
      expect(resetAfterUs).toBeLessThanOrEqual(TTL_US);
    }
    expect(passed).toBeLessThanOrEqual(5);
    // A member that was no slot takes none.
    if (name in PLANTED) expect(passed).toBe(5);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(TTL_US / 1000 + 1);
  },
);

test.for(Object.keys(planted))(
  "concurrency gives back and extends no slot over %s",
  async (name) => {
    const key = `tg:{${crypto.randomUUID()}}:planted`;
    await planted[name]!(redis, key);
    const before = await redis.dump(key);
    const slot = ["e", "none", TTL_US];
    const refund = await redis.eval(
      scriptOf(REFUND).text,
      1,
      key,
      0,
      1,
      ...slots.scriptArguments,
      ...slot,
    );
    expect((refund as number[])[1]).toBe(0);
    const extended = await redis.eval(EXTEND, 1, key, "none", TTL_US, TTL_US);
    expect((extended as number[])[1]).toBe(0);
    expect(await redis.dump(key)).toEqual(before);
  },
);

test("concurrency extends a slot beside one without an end, and the key has one", async () => {
  const key = `tg:{${crypto.randomUUID()}}:planted`;
  await redis.zadd(key, "+inf", "a", Date.now() * 1000 + 5e6, "b");
  const extended = await redis.eval(EXTEND, 1, key, "b", TTL_US, TTL_US);
  expect((extended as number[])[1]).toBe(1);
  expect(await redis.pttl(key)).toBeGreaterThan(TTL_US / 1000 - 5_000);
});
