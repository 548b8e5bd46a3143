import fc from "fast-check";
import { expect, test } from "vitest";

import { ACTION, COUNTER } from "../../src/algorithms/drop-in-counter.ts";
import { THROTTLER } from "../../src/algorithms/drop-in-throttler.ts";
import type { AnyModel, Operation } from "../../src/algorithms/model.ts";
import * as scripts from "../../src/dropins/scripts.generated.ts";
import { scriptOf } from "../../src/store/redis/script.ts";
import { clientWithClock } from "../support/redis-with-clock.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

/** A question of one call: `gapUs` after the one before, below 0 where the clock steps back. */
interface Step {
  readonly gapUs: number;
  readonly operation: Operation;
  readonly limit: number;
  readonly parameters: Readonly<Record<string, number>>;
}

const SECOND = 1_000_000;
const time = fc.constantFrom(0, 1, 2_500, 700_000, SECOND, 10 * SECOND, 3_600 * SECOND, 2 ** 52);
const gapUs = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 * SECOND }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, SECOND, 10 * SECOND, 3_600 * SECOND) },
  { weight: 1, arbitrary: fc.integer({ min: -20 * SECOND, max: -1 }) },
);

const counting = fc.record<Step>({
  gapUs,
  operation: fc.constantFrom("charge", "charge", "charge", "consume", "peek"),
  limit: fc.integer({ min: 0, max: 6 }),
  parameters: fc.record({
    points: fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom(1, 1, 2 ** 52, -(2 ** 52))),
    windowUs: fc.oneof(time, fc.constant(Number.MAX_SAFE_INTEGER - 2 ** 52)),
    blockUs: time,
    threshold: fc.integer({ min: -1, max: 6 }),
    action: fc.constantFrom(...Object.values(ACTION), ACTION.add, ACTION.add),
  }),
});

const throttling = fc.record<Step>({
  gapUs,
  operation: fc.constant("charge"),
  limit: fc.integer({ min: 0, max: 6 }),
  parameters: fc.record({
    ttlUs: time,
    blockUs: time,
    most: fc.constantFrom(0, 1, 3, 1_000),
    grainUs: fc.constantFrom(1, 1, 7, 1_000, 300_000, SECOND),
  }),
});

/** Times of the steps, from a day ahead on, so that no key expires by the server's clock; a gap is no longer than that. */
const START_US = (Date.now() + 86_400_000) * 1000;

test.for([
  ["counter", COUNTER, scripts.COUNTER, counting],
  ["throttler", THROTTLER, scripts.THROTTLER, throttling],
] as const)("%s: the script says what its model says", async ([name, { model }, script, step]) => {
  const decide = model as unknown as AnyModel;
  const random = fc.array(step, { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(random, async (steps) => {
      const key = `m-${crypto.randomUUID()}`;
      let nowUs = START_US;
      let state: unknown;
      const client = clientWithClock(
        (text, keys, args) => redis.eval(text, keys.length, ...keys, ...args),
        () => nowUs,
      );
      for (const { gapUs, operation, limit, parameters } of steps) {
        nowUs = Math.max(START_US - 40 * SECOND, nowUs + gapUs);
        const numbers = [limit, ...Object.values(parameters)].map(String);
        const reply = await client.eval(
          scriptOf(script).text,
          [key],
          [operation, "1", name, ...numbers],
        );
        const said = decide(state, { nowUs, operation, cost: 1, limit, parameters });
        state = said.state;
        const { allowed, remaining, retryAfterUs, resetAfterUs } = said;
        expect(reply).toEqual([nowUs, Number(allowed), remaining, retryAfterUs, resetAfterUs]);
      }
      const left = await redis.pttl(key);
      expect(left).not.toBe(-1);
      await redis.del(key);
    }),
    { numRuns: runs(400) },
  );
});

test("a foreign value is no state, and is replaced", async () => {
  for (const [name, script, numbers] of [
    ["counter", scripts.COUNTER, [0, 1, SECOND, 0, 0, 0]],
    ["throttler", scripts.THROTTLER, [3, SECOND, SECOND, 9, 1]],
  ] as const) {
    for (const plant of [
      (key: string) => redis.set(key, "x".repeat(21)),
      (key: string) => redis.set(key, "\xff".repeat(28), "KEEPTTL"),
      (key: string) => redis.set(key, Buffer.alloc(39, 0xff)),
      (key: string) => redis.set(key, Buffer.alloc(21, 0xff)),
      (key: string) => redis.set(key, ""),
      (key: string) => redis.rpush(key, "a"),
    ]) {
      const key = `m-${crypto.randomUUID()}`;
      await plant(key);
      for (const hits of [1, 2]) {
        const args = ["charge", "1", name, ...numbers].map(String);
        const reply = (await redis.eval(scriptOf(script).text, 1, key, ...args)) as number[];
        expect([name, plant.toString(), reply[2]]).toEqual([
          name,
          plant.toString(),
          numbers[0] - hits,
        ]);
      }
      await redis.del(key);
    }
  }
});
