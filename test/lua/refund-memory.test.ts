import fc from "fast-check";
import { expect, test } from "vitest";

import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Reply } from "../../src/store/store.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

const policy = fc
  .tuple(
    fc.nat(ALGORITHMS.length - 1),
    fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(40, 1_000)),
    fc.constantFrom("1s" as const, "10s" as const),
  )
  .map(([index, size, length]) => everyPolicy(size, length)[index]!);

const step = (policies: number) =>
  fc.record({
    /** Milliseconds since the step before: now and then the clock steps back. */
    passed: fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom(0, 0.001, 0.001, 40) },
      { weight: 5, arbitrary: fc.integer({ min: 0, max: 2_500 }) },
      { weight: 1, arbitrary: fc.integer({ min: -3_000, max: 0 }) },
    ),
    asks: fc.constantFrom("consume", "consume", "consume", "charge", "peek", "back", "back"),
    /** As shares of the units that a policy may take, or has taken. */
    shares: fc.array(fc.constantFrom(0, 0.1, 0.3, 0.5, 1, 1, 2), {
      minLength: policies,
      maxLength: policies,
    }),
    /** Which take is given back, counted from the newest. */
    of: fc.oneof(fc.nat(1), fc.nat(9)),
    /** By how many microseconds its moment is wrong. */
    wrong: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1, -1_000)),
  });

const run = fc.array(policy, { minLength: 1, maxLength: 3 }).chain((drawn) =>
  fc.record({
    drawn: fc.constant(drawn.map((each, i) => ({ ...each, name: `p${i}` }))),
    steps: fc.array(step(drawn.length), { minLength: 1, maxLength: 40, size: "max" }),
  }),
);

interface Take {
  readonly reply: Reply;
  readonly costs: readonly number[];
}

test("memory gives back as Redis does, for any takes, double refunds and wrong moments", async () => {
  let now = FUTURE;
  const store = storeWithClock(redis, () => now);
  const outcomes = { all: 0, part: 0, nothing: 0 };
  await fc.assert(
    fc.asyncProperty(run, async ({ drawn, steps }) => {
      // Far enough from the earliest moment that the clock can go back.
      now = FUTURE + 86_400e6;
      const policies = compile(drawn);
      const memory = openMemoryStore({ now: () => now });
      const id = crypto.randomUUID();
      const keys = policies.map(({ name }) => `tg:{${id}}:${name}`);
      const takes: Take[] = [];
      for (const { passed, asks, shares, of, wrong } of steps) {
        now += Math.round(passed * 1_000);
        const take = takes.at(-1 - of);
        if (asks === "back") {
          if (!take) continue;
          const costs = take.costs.map((cost, i) => Math.round(cost * shares[i]!));
          const decidedAt = { nowUs: take.reply.nowUs + wrong };
          const given = await store.refund!(keys, costs, policies, decidedAt);
          expect(await memory.refund!(keys, costs, policies, decidedAt)).toEqual(given);
          given.forEach((units, i) => {
            expect(units).toBeLessThanOrEqual(costs[i]!);
            if (costs[i] === 0) return;
            outcomes[units === costs[i] ? "all" : units > 0 ? "part" : "nothing"]++;
          });
          continue;
        }
        const costs = policies.map(({ limit }, i) => {
          const units = Math.round(limit * shares[i]!);
          return asks === "charge" ? units : Math.min(limit, units);
        });
        const reply = await store.decide(asks, keys, costs, policies);
        expect(await memory.decide(asks, keys, costs, policies)).toEqual(reply);
        const took = asks === "charge" || reply.rows.every(({ allowed }) => allowed);
        if (asks !== "peek" && took) takes.push({ reply, costs });
      }
    }),
    { numRuns: runs(250) },
  );
  expect(Math.min(outcomes.all, outcomes.part, outcomes.nothing)).toBeGreaterThan(least(30));
});
