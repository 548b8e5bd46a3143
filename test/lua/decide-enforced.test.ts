import fc from "fast-check";
import { expect, test } from "vitest";

import { DECIDE_ENFORCED, DECIDE_LOGS } from "../../src/algorithms/scripts.generated.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

/* A limiter without roles and slots has a script of its own for several policies, and one with logs another: both say and count what
   the script for any roles does. */

const redis = testRedis();

const policy = fc
  .tuple(fc.nat(ALGORITHMS.length - 1), fc.integer({ min: 1, max: 8 }))
  .map(([index, limit]) => everyPolicy(limit, "10s")[index]!);

const step = (policies: number) =>
  fc.record({
    /** Milliseconds since the step before. */
    passed: fc.oneof(fc.constantFrom(0, 0, 0.001, 40), fc.integer({ min: -2_000, max: 4_000 })),
    operation: fc.constantFrom("consume", "consume", "consume", "peek", "charge"),
    costs: fc.array(fc.constantFrom(0, 1, 1, 1, 2, 5), {
      minLength: policies,
      maxLength: policies,
    }),
  });

const run = fc.array(policy, { minLength: 2, maxLength: 4 }).chain((drawn) =>
  fc.record({
    drawn: fc.constant(drawn.map((each, i) => ({ ...each, name: `p${i}` }))),
    steps: fc.array(step(drawn.length), { minLength: 1, maxLength: 30, size: "max" }),
  }),
);

test("enforced policies are decided, counted and reset as by the script for any roles", async () => {
  let now = FUTURE;
  const whole = storeWithClock(redis, () => now, { decide: DECIDE_ENFORCED });
  const withLogs = storeWithClock(redis, () => now, { decide: DECIDE_LOGS });
  const other = storeWithClock(redis, () => now);
  const seen = { allowed: 0, denied: 0 };
  await fc.assert(
    fc.asyncProperty(run, async ({ drawn, steps }) => {
      const policies = compile(drawn);
      const own = drawn.some(({ algorithm }) => algorithm === "sliding-window-log")
        ? withLogs
        : whole;
      const keysOf = (id: string) => policies.map(({ key }) => `tg:{${id}}:${key}`);
      const [keys, others] = [keysOf(crypto.randomUUID()), keysOf(crypto.randomUUID())];
      for (const { passed, operation, costs } of steps) {
        now += Math.round(passed * 1000);
        const fitting = costs.map((cost, i) =>
          operation === "charge" ? cost : Math.min(cost, policies[i]!.limit),
        );
        const reply = await own.decide(operation, keys, fitting, policies);
        expect(reply).toEqual(await other.decide(operation, others, fitting, policies));
        const states = await Promise.all([keys, others].map((each) => redis.mget(...each)));
        expect(states[0]).toEqual(states[1]);
        if (operation !== "consume") continue;
        seen[reply.rows.every(({ allowed }) => allowed) ? "allowed" : "denied"]++;
      }
      await Promise.all([own.reset(keys), other.reset(others)]);
      expect(await redis.exists(...keys, ...others)).toBe(0);
      now += 60_000_000;
    }),
    { numRuns: runs(100) },
  );
  expect(Math.min(seen.allowed, seen.denied)).toBeGreaterThan(least(10));
});
