import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject } from "vitest";

import { MODELS } from "../../src/algorithms/all.ts";
import type { ModelRequest } from "../../src/algorithms/model.ts";
import type { CountingAlgorithm, Policy } from "../../src/policy/policy.ts";
import {
  type Answer,
  algorithmScript,
  FUTURE,
  type Parameters,
} from "../support/algorithm-script.ts";
import { FACTS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { ALGORITHMS, optionsOf } from "../support/policy/options-of.ts";
import { foreign, mutate, mutation, plant, readValue, type Value } from "./corruption.ts";
import { fuzz } from "./fuzz.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());

const limit = fc.integer({ min: 1, max: 40 });
const window = fc.constantFrom("1ms" as const, "7ms" as const, "1.000003s" as const, "1h" as const);
const integer = (max: number) => fc.integer({ min: 1, max: Math.min(12, max) });

function policyOf(algorithm: CountingAlgorithm): fc.Arbitrary<Policy> {
  return fc
    .tuple(limit, optionsOf(algorithm, { integer, duration: window }))
    .map(([size, options]) => Object.assign({ algorithm, limit: size }, options) as never);
}

interface Step {
  readonly gap: number;
  readonly operation: ModelRequest<unknown>["operation"];
  readonly cost: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  gap: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.5, noNaN: true })),
  operation: fc.constantFrom<Step["operation"]>("consume", "consume", "peek", "charge"),
  cost: fc.integer({ min: 1, max: 50 }),
});
const steps = fc.array(step, { maxLength: 12 });

/** Where a bucket of 34 bytes says until when it is kept, and its rate. */
const END_AND_RATE = [14, 34] as const;

/**
 * Another rate that a bucket says may be a real one, at which a debt comes back, however long that takes; and a bucket that is kept
 * for so long may hold that debt. So both stay.
 */
function ofOneRate(algorithm: CountingAlgorithm, mutated: Value, state: Value): Value {
  const [end, length] = END_AND_RATE;
  if (algorithm !== "token-bucket" || !Buffer.isBuffer(mutated) || mutated.length !== length) {
    return mutated;
  }
  const kept = Buffer.from(mutated);
  (state as Buffer).copy(kept, end, end);
  return kept;
}

/** Keys end on whole milliseconds: one of a shorter window that has lost its end gets another one later by that. */
const ROUNDING_US = 1_000;

type Request = ModelRequest<Parameters>;

function requestOf(policy: Policy, nowUs: number, { operation, cost }: Omit<Step, "gap">): Request {
  const { limit, parameters } = compilePolicy(policy);
  const units = operation === "charge" ? cost : Math.min(cost, limit);
  return { nowUs, operation, cost: units, limit, parameters };
}

function expectSane(answer: Answer, longest: number, { limit, operation }: Request): void {
  const { allowed, remaining, retryAfterUs, resetAfterUs } = answer;
  expect([remaining, retryAfterUs, resetAfterUs].every(Number.isSafeInteger)).toBe(true);
  expect(remaining).toBeGreaterThanOrEqual(0);
  expect(remaining).toBeLessThanOrEqual(limit);
  expect(retryAfterUs).toBeGreaterThanOrEqual(allowed || operation === "charge" ? 0 : 1);
  expect(retryAfterUs).toBeLessThanOrEqual(longest);
  expect(resetAfterUs).toBeGreaterThanOrEqual(0);
  expect(resetAfterUs).toBeLessThanOrEqual(longest);
}

describe.each(ALGORITHMS)("%s", (algorithm) => {
  /** Plants what `value` makes of the state that the steps before lead to, then asks, waits and asks again. */
  async function survives(
    policy: Policy,
    value: (state: Value | undefined) => Value | undefined,
    before: readonly Step[],
    burst: readonly Step[],
    after: readonly Step[],
  ): Promise<void> {
    const decide = algorithmScript(redis, algorithm);
    const { limit, windowUs } = compilePolicy(policy);
    const quota = Math.ceil(windowUs);
    const longest = FACTS[algorithm].longestWait * quota;
    const key = `fuzz:{${crypto.randomUUID()}}`;
    let now = FUTURE;
    for (const { gap, ...asked } of before) {
      now += Math.round(gap * quota);
      await decide(key, requestOf(policy, now, asked));
    }
    const planted = value(await readValue(redis, key));
    await redis.del(key);
    if (planted) await plant(redis, key, planted);

    let admitted = 0;
    // From the first look on, which may find a time that is yet to come, windows are counted.
    const look: Step = { gap: 0, operation: "ask", cost: 1 };
    for (const asked of [look, ...burst]) {
      const request = requestOf(policy, now, asked);
      const answer = await decide(key, request);
      expectSane(answer, longest, request);
      if (answer.allowed && asked.operation === "consume") admitted += request.cost;
    }
    expect(admitted).toBeLessThanOrEqual(limit);

    now += 3 * quota + ROUNDING_US;
    let state: unknown;
    const whole: Step = { gap: 0, operation: "peek", cost: limit };
    for (const { gap, ...asked } of [whole, ...after]) {
      now += Math.round(gap * quota);
      const request = requestOf(policy, now, asked);
      const { state: kept, ...expected } = MODELS[algorithm]!(state, request);
      state = kept;
      const answer = await decide(key, request);
      expectSane(answer, longest, request);
      expect(answer).toEqual(expected);
    }
    expect(state === undefined || (await redis.pttl(key)) > 0).toBe(true);
    await redis.del(key);
  }

  fuzz("a state that something happened to is answered over, bounded and mended", 350, () =>
    fc.asyncProperty(
      policyOf(algorithm),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      steps,
      steps,
      steps,
      (policy, mutations, ...asked) =>
        survives(
          policy,
          (state) => state && ofOneRate(algorithm, mutate(state, mutations), state),
          ...asked,
        ),
    ),
  );

  fuzz("what something else wrote is answered over, bounded and mended", 350, () =>
    fc.asyncProperty(
      policyOf(algorithm).chain((policy) =>
        fc.tuple(fc.constant(policy), foreign(FUTURE, compilePolicy(policy).windowUs)),
      ),
      steps,
      steps,
      ([policy, value], burst, after) => survives(policy, () => value, [], burst, after),
    ),
  );
});
