import { describe, expect, test } from "vitest";

import { DECIDE, REFUND } from "../../src/algorithms/scripts.generated.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
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
    const reply = await redis.eval(REFUND, 1, key, takenAtUs, 3, ...scriptArguments);
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
