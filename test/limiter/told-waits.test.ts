import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createLimiter, fixedWindow, type Policy, tokenBucket } from "../../src/index.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { watchedStore } from "../support/limiter/watched-store.ts";
import { runs } from "../support/runs.ts";

const SECOND = 1_000_000;
const LIMIT = 20;

function limiterOf(...policies: Policy[]) {
  const { store, counts, world, asked } = watchedStore();
  // Of the same counts, and without knowledge of its own.
  const exact = createLimiter({ store: counts, policies, denialCache: false });
  return { limiter: createLimiter({ store, policies }), exact, world, asked };
}

describe("a known denial, told to a request of a greater cost", () => {
  test.for(EVERY_ALGORITHM)("$algorithm: the wait it tells suffices", async ({ of }) => {
    const step = fc.record({ cost: fc.integer({ min: 1, max: LIMIT }), seconds: fc.nat(4) });
    let known = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const { limiter, exact, world } = limiterOf(of(LIMIT, "30s", 5));
        for (const { cost, seconds } of steps) {
          // Two calls of one moment may reach Redis in any order.
          world.nowUs += seconds * SECOND + 1_000;
          const decision = await limiter.limit("ada", { cost });
          if (decision.reason !== "cached-denial") continue;
          known++;
          const truth = await exact.peek("ada", { cost });
          expect(truth.allowed).toBe(false);
          // A clock in microseconds has no thousandth of one.
          expect(decision.retryAfterMs).toBeGreaterThan(truth.retryAfterMs - 0.002);
          const { resetAfterMs } = truth.policies[0]!;
          expect(decision.retryAfterMs).toBeLessThan(
            Math.max(resetAfterMs!, truth.retryAfterMs) + 0.002,
          );
        }
      }),
      { numRuns: runs(60) },
    );
    expect(known).toBeGreaterThan(runs(10));
  });

  test("of a bucket it is exact: a second for each unit, and no call", async () => {
    const bucket = tokenBucket({ name: "b", limit: 10, refill: 1, per: "1s" });
    const { limiter, asked } = limiterOf(bucket);
    await limiter.limit("ada", { cost: 10 });
    expect((await limiter.limit("ada")).retryAfterMs).toBe(1_000);
    const waits: number[] = [];
    for (const cost of [1, 2, 5, 10]) {
      waits.push((await limiter.limit("ada", { cost })).retryAfterMs);
    }
    expect(waits).toEqual([1_000, 2_000, 5_000, 10_000]);
    expect(asked).toHaveLength(2);
  });
});

test("of several known denials the one with the longest wait answers", async () => {
  const short = { ...fixedWindow({ name: "short", limit: 1, window: "10s" }), by: "ip" };
  const long = { ...fixedWindow({ name: "long", limit: 1, window: "60s" }), by: "key" };
  for (const policies of [
    [short, long],
    [long, short],
  ]) {
    const { limiter, asked } = limiterOf(...policies);
    await limiter.limit({ ip: "a", key: "k1" });
    await limiter.limit({ ip: "b", key: "k" });
    for (const identity of [{ ip: "a" }, { key: "k" }]) await limiter.limit(identity);
    const calls = asked.length;
    const decision = await limiter.limit({ ip: "a", key: "k" });
    expect(decision).toMatchObject({ reason: "cached-denial", retryAfterMs: 60_000 });
    expect(asked).toHaveLength(calls);
  }
});
