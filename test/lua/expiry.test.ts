import fc from "fast-check";
import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Operation } from "../../src/algorithms/model.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { algorithmScript, FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { keyOn } from "./key-on.ts";

const redis = testRedis();

/** The time that may pass between a write and the look at its expiry, on a busy machine. Microseconds. */
const SLACK = 1e6;
/** Between the server's clock and the test's. Microseconds. */
const DAYS = 10 * 86_400e6;
const given: Policy[] = [
  ...everyPolicy(6, "10m"),
  // Its times have fractions: it is never incremented.
  tokenBucket({ limit: 6, refill: 7, per: "10m" }),
  segmentedWindow({ limit: 6, window: "10m", segments: 3 }),
];
const policies = given.map(compilePolicy);

interface Step {
  readonly gap: number;
  readonly operation: Operation;
  readonly cost: number;
  readonly policy: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  /** In windows; now and then a step of the clock. */
  gap: fc.oneof(
    { weight: 9, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: -3, max: 3, noNaN: true }) },
  ),
  operation: fc.constantFrom<Operation[]>("consume", "consume", "peek", "charge"),
  cost: fc.integer({ min: 1, max: 6 }),
  /** Which of the policies asks. */
  policy: fc.nat(60),
});

/** Takes these steps, each under one of the policies, and expects the key to be kept for as long as they say. */
async function expectKept(
  compiled: readonly CompiledPolicy[],
  steps: readonly Step[],
): Promise<void> {
  const scripts = compiled.map((policy) => algorithmScript(redis, policy.algorithm));
  const key = `tg:{${crypto.randomUUID()}}:expiry`;
  let now = FUTURE;
  let expires = 0;
  for (const { gap, operation, cost, policy } of steps) {
    const asked = compiled[policy % compiled.length]!;
    const decide = scripts[policy % compiled.length]!;
    const { limit, windowUs, parameters } = asked;
    now += Math.round(gap * windowUs);
    const { resetAfterUs } = await decide(key, { nowUs: now, operation, cost, limit, parameters });
    // Persisted after every step, so that an expiry is one that this step has set: as a time of this test's clock,
    // or as a span from the server's.
    const set = await redis.pexpiretime(key);
    if (set > 0) {
      expires = set * 1000 > FUTURE - DAYS ? set * 1000 : now + (set - Date.now()) * 1000 + SLACK;
    }
    await redis.persist(key);
    // A peek under another setting shows its own view of the state, and leaves it.
    const isPeek = operation === "peek" && compiled.length > 1;
    if (resetAfterUs > 0 && !isPeek) expect(now + resetAfterUs).toBeLessThanOrEqual(expires);
  }
  await redis.del(key);
}

/** A client that never stops: where it is cheaper, its key is written without a new expiry for as long as that holds. */
const steady: fc.Arbitrary<Step> = fc.record({
  gap: fc.double({ min: 0, max: 0.4, noNaN: true }),
  operation: fc.constant("consume"),
  cost: fc.integer({ min: 1, max: 3 }),
  policy: fc.constant(0),
});

const lengths = { minLength: 1, maxLength: 40, size: "max" } as const;
const steps = fc.oneof(fc.array(step, lengths), fc.array(steady, lengths));

/** The limits that one key may have over time. */
const buckets: Policy[] = [6, 60, 12].map((limit) => tokenBucket({ limit, refill: 6, per: "10m" }));
const changing: Policy[][] = [
  ...given.map((policy) => [policy]),
  buckets,
  ...[slidingWindowLog, slidingWindowCounter, segmentedWindow, fixedWindow].map((build) =>
    [6, 9, 12].map((limit) => build({ limit, window: "10m" })),
  ),
];

const names = changing.map((one) => ({
  name: one[0]!.algorithm,
  meanings: one.map(compilePolicy),
}));

test.for(names)(
  "a key of $name outlives its state, after any earlier of $meanings.length policies",
  async ({ meanings }) => {
    await fc.assert(
      fc.asyncProperty(steps, (asked) => expectKept(meanings, asked)),
      { numRuns: runs(75) },
    );
  },
);

test.for(policies)("$algorithm: a request that takes nothing makes no key", async (policy) => {
  const { keyOf, ask } = keyOn(redis, policy.algorithm);
  for (const operation of ["peek", "ask"] as const) {
    await ask(policy, operation, FUTURE);
    expect(await redis.exists(keyOf(policy))).toBe(0);
  }
});

test.for([
  ["fixed window", fixedWindow],
  ["counter", slidingWindowCounter],
  ["segmented window", segmentedWindow],
] as const)(
  "the key of a %s that is written once lives for at most two milliseconds longer than it counts",
  async ([, build]) => {
    const policy = compilePolicy(build({ limit: 6, window: "10m" }));
    const { keyOf, ask } = keyOn(redis, policy.algorithm);
    const { resetAfterUs } = await ask(policy, "consume", FUTURE);
    const longerUs = (await redis.pexpiretime(keyOf(policy))) * 1000 - (FUTURE + resetAfterUs);
    expect(longerUs).toBeGreaterThan(0);
    expect(longerUs).toBeLessThanOrEqual(2_000);
  },
);

test("a log whose clock has gone back far ends by that clock", async () => {
  const policy = compilePolicy(slidingWindowLog({ limit: 6, window: "10s" }));
  const { keyOf, ask } = keyOn(redis, "sliding-window-log");
  const nowUs = FUTURE - 100e6;
  for (const atUs of [FUTURE, nowUs]) await ask(policy, "consume", atUs);
  expect((await redis.pexpiretime(keyOf(policy))) * 1000).toBeLessThanOrEqual(nowUs + 20e6 + 4_000);
});

test("a key of a fixed window that has left the grid is kept until the window after it has ended, too", async () => {
  const policy = compilePolicy(fixedWindow({ limit: 6, window: "10m" }));
  const { windowUs } = policy;
  const { keyOf, ask } = keyOn(redis, "fixed-window");
  await ask(policy, "consume", FUTURE);
  const now = FUTURE - 3 * windowUs;
  expect((await ask(policy, "consume", now)).resetAfterUs).toBe(windowUs);
  expect((await redis.pexpiretime(keyOf(policy))) * 1000).toBeGreaterThanOrEqual(
    now + 2 * windowUs,
  );
});
