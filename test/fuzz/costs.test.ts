import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject } from "vitest";

import { MAX_LIMIT } from "../../src/algorithms/algorithm.ts";
import { IMPLEMENTATIONS, MODELS } from "../../src/algorithms/all.ts";
import type { ModelRequest } from "../../src/algorithms/model.ts";
import { ConfigurationError } from "../../src/errors/errors.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { CountingAlgorithm } from "../../src/policy/policy.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { ALGORITHMS, optionsOf } from "../support/policy/options-of.ts";
import { fuzz } from "./fuzz.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

const duration = fc
  .tuple(fc.nat(1_000), fc.constantFrom("ms", "s", "m", "h", "d"))
  .map(([length, unit]) => `${length}${unit}`);
const window = fc.oneof(duration, fc.constantFrom("1ms", "366d", "0.001s", "365.999d"));
const anyLimit = fc.oneof(fc.integer({ min: 1, max: 1e9 }), fc.constantFrom(1, 2, 1e9 - 1, 1e9));
/** A large log takes its time, so most are small. */
const logLimit = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 300 }) },
  { weight: 10, arbitrary: fc.integer({ min: 300, max: 30_000 }) },
  { weight: 1, arbitrary: fc.constant(100_000) },
);

const integer = (max: number) =>
  fc.oneof(
    fc.integer({ min: 1, max }),
    fc.constantFrom(...[1, 3, 999_983, max].filter((number) => number <= max)),
  );

/** Every policy that there can be, the extremes often. */
function policyOf(algorithm: CountingAlgorithm): fc.Arbitrary<CompiledPolicy> {
  const limits = IMPLEMENTATIONS[algorithm].maxLimit < MAX_LIMIT ? logLimit : anyLimit;
  return fc
    .tuple(limits, optionsOf(algorithm, { integer, duration: window }))
    .map(([limit, options]) => {
      try {
        return compilePolicy({ algorithm, limit, ...options } as never);
      } catch (error) {
        if (error instanceof ConfigurationError) return undefined;
        throw error;
      }
    })
    .filter((policy) => policy !== undefined);
}

const step = fc.record({
  gap: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.5, noNaN: true })),
  operation: fc.constantFrom<ModelRequest<unknown>["operation"]>("consume", "peek", "charge"),
  /** As a share of the limit where it is at most 1, else the cost itself. */
  cost: fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(1, 2 ** 53 - 1, 2 ** 52),
    fc.maxSafeNat(),
  ),
});

describe.each(ALGORITHMS)("%s", (algorithm) => {
  fuzz("counts every cost under every policy as its model does", 300, () =>
    fc.asyncProperty(
      policyOf(algorithm),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      async ({ limit, windowUs, parameters }, steps) => {
        const decide = algorithmScript(redis, algorithm);
        const quota = Math.ceil(windowUs);
        const key = `fuzz:{${crypto.randomUUID()}}`;
        let now = FUTURE;
        let state: unknown;
        for (const { gap, operation, cost } of steps) {
          now += Math.round(gap * quota);
          const units = cost <= 1 ? Math.max(1, Math.round(cost * limit)) : cost;
          const request = {
            nowUs: now,
            operation,
            cost: operation === "charge" ? units : Math.min(units, limit),
            limit,
            parameters,
          };
          const { state: kept, ...expected } = MODELS[algorithm]!(state, request);
          state = kept;
          const answer = await decide(key, request);
          expect(answer).toEqual(expected);
          expect(answer.resetAfterUs).toBeLessThanOrEqual(3 * quota);
          expect(answer.remaining).toBeGreaterThanOrEqual(0);
          if (answer.retryAfterUs > 0) {
            const wanted = operation === "charge" ? 1 : request.cost;
            const later = { ...request, operation: "peek" as const, cost: wanted };
            const soon = { ...later, nowUs: now + answer.retryAfterUs - 1 };
            expect(await decide(key, soon)).toMatchObject({ allowed: false, retryAfterUs: 1 });
            const then = { ...later, nowUs: now + answer.retryAfterUs };
            expect(await decide(key, then)).toMatchObject({ allowed: true, retryAfterUs: 0 });
          }
        }
        const whole = {
          nowUs: now + 3 * quota,
          operation: "peek" as const,
          cost: limit,
          limit,
          parameters,
        };
        expect(await decide(key, whole)).toMatchObject({ allowed: true, remaining: limit });
        await redis.del(key);
      },
    ),
  );
});
