import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { DECIDE, REFUND } from "../../src/algorithms/scripts.generated.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { keepingUnits } from "../../src/policy/compile.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

/** As the sliding window's log writes a time, in hexadecimal digits. */
const timeOf = (milliseconds: number) => (milliseconds * 1000).toString(16).padStart(14, "0");

/** Things that a bug, another program or an older version may have left under a key. */
const planted: Record<string, (key: string) => Promise<unknown>> = {
  "an empty string": (key) => redis.set(key, ""),
  text: (key) => redis.set(key, "hello"),
  "a huge number": (key) => redis.set(key, "9".repeat(40)),
  "a negative number": (key) => redis.set(key, "-5"),
  "not a number": (key) => redis.set(key, "nan"),
  infinity: (key) => redis.set(key, "inf"),
  "a truncated state": (key) => redis.set(key, "17:"),
  "a segment list of huge counts": (key) =>
    redis.set(key, `${Date.now() * 1000}:${"9".repeat(400)},1`),
  "a bucket's state at no rate": (key) => redis.set(key, `100${Date.now() * 1000}999:0/0/0`),
  "a bucket's state at no interval": (key) =>
    redis.set(key, `100${(Date.now() + 60_000) * 1000}:0/0/1`),
  "a bucket's state at huge rates": (key) =>
    redis.set(key, `100${(Date.now() + 60_000) * 1000}:0-/${"9".repeat(400)}/${"9".repeat(400)}`),
  "bytes of ones": (key) => redis.set(key, Buffer.alloc(64, 0xff)),
  "ones where a fixed window's count is": (key) => redis.set(key, Buffer.alloc(11, 0xff)),
  "ones where a counter's counts are": (key) => redis.set(key, Buffer.alloc(15, 0xff)),
  "a header without its ring": (key) =>
    redis.set(
      key,
      Buffer.from(
        `0003000000000014${timeOf(Date.now())}`.padStart(44, "0").padEnd(156, "0"),
        "hex",
      ),
    ),
  "a list": (key) => redis.rpush(key, "1", "2"),
  "a set": (key) => redis.sadd(key, "1"),
  "a sorted set": (key) => redis.zadd(key, 1, "1"),
  "a hash of other fields": (key) => redis.hset(key, { field: "1" }),
  "a hash of text": (key) =>
    redis.hset(key, { start: "a", current: "b", previous: "c", used: "d" }),
  "a hash of huge numbers": (key) =>
    redis.hset(key, {
      start: "9".repeat(30),
      current: "9".repeat(30),
      previous: "9".repeat(30),
      used: "9".repeat(30),
    }),
  "a hash of negative numbers": (key) =>
    redis.hset(key, { start: `${Date.now() * 1000}`, current: "-9", previous: "-9", used: "-9" }),
  "a hash of fractions": (key) =>
    redis.hset(key, {
      start: `${Date.now() * 1000}.5`,
      current: "1.5",
      previous: "0.5",
      used: "1.5",
    }),
};

const keeping = keepingUnits(compilePolicy(tokenBucket({ limit: 5, refill: 5, per: "10m" })));
const subjects = [
  ...everyPolicy(5, "10m").map((policy) => ({
    subject: policy.algorithm as string,
    compiled: compilePolicy(policy),
  })),
  { subject: "token-bucket that keeps units", compiled: keeping },
];

describe.each(subjects)("$subject", ({ compiled }) => {
  const { limit, scriptArguments } = compiled;
  const { text } = scriptFor(DECIDE, [compiled]);

  test.for(Object.keys(planted))(
    "answers over %s, never without limit, and mends it",
    async (name) => {
      const key = `tg:{${crypto.randomUUID()}}:planted`;
      await planted[name]!(key);
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
      // Mended or emptied: what is there has an end.
      const left = await redis.pttl(key);
      expect(passed === 0 || left > 0).toBe(true);
    },
  );

  test.for(Object.keys(planted))("gives back over %s no more than is asked", async (name) => {
    const key = `tg:{${crypto.randomUUID()}}:planted`;
    await planted[name]!(key);
    const takenAtUs = Date.now() * 1000 - 1e6;
    const reply = await redis.eval(REFUND, 1, key, takenAtUs, 3, ...scriptArguments);
    const [, given] = reply as number[];
    expect(given).toBeGreaterThanOrEqual(0);
    expect(given).toBeLessThanOrEqual(3 * (compiled.parameters["intervalUs"] ?? 1));
  });
});
