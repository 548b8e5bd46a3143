import fc from "fast-check";
import { expect, test } from "vitest";

import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { fixedWindow, memoryStore, tokenBucket } from "../support/limiter/plain.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

const ROLES = [{}, {}, { mode: "shadow" }, { mode: "soft" }, { counts: "denials" }] as const;
const policy = fc
  .tuple(
    fc.nat(ALGORITHMS.length - 1),
    fc.integer({ min: 1, max: 8 }),
    fc.constantFrom("1s" as const, "10s" as const),
    fc.constantFrom(...ROLES),
  )
  .map(([index, size, length, role]) => Object.assign(everyPolicy(size, length)[index]!, role));

const step = (policies: number) =>
  fc.record({
    /** Milliseconds since the step before. */
    passed: fc.oneof(fc.constantFrom(0, 0, 0.001, 40), fc.integer({ min: 0, max: 4_000 })),
    /** Whether policies in shadow are asked for units of earlier requests. */
    owes: fc.boolean(),
    operation: fc.constantFrom("consume", "consume", "consume", "consume", "peek", "charge"),
    costs: fc.array(fc.constantFrom(0, 1, 1, 1, 2, 5), {
      minLength: policies,
      maxLength: policies,
    }),
  });

const run = fc.array(policy, { minLength: 1, maxLength: 4 }).chain((drawn) =>
  fc.record({
    drawn: fc.constant(drawn.map((each, i) => ({ ...each, name: `p${i}` }))),
    steps: fc.array(step(drawn.length), { minLength: 1, maxLength: 30, size: "max" }),
  }),
);

test("several policies with costs and roles of their own decide in Redis as they do in memory", async () => {
  let now = FUTURE;
  const store = storeWithClock(redis, () => now);
  const seen = { allowed: 0, denied: 0, advised: 0, banned: 0, owed: 0 };
  await fc.assert(
    fc.asyncProperty(run, async ({ drawn, steps }) => {
      const own = compile(drawn);
      const owing = own.map((each) =>
        each.mode === "shadow" ? { ...each, role: "owed" as const } : each,
      );
      const model = memoryStore({ now: () => now });
      const id = crypto.randomUUID();
      const keys = own.map(({ name }) => `tg:{${id}}:${name}`);
      for (const { passed, operation, costs, owes } of steps) {
        const policies = owes ? owing : own;
        now += Math.round(passed * 1000);
        // As a limiter asks: only a charge costs more than a limit, and a policy that counts denials may have missed many.
        const asked = costs.map((cost, i) => {
          const { limit, role } = policies[i]!;
          const counts = role === "denials" && policies.length > 1;
          return operation === "charge" || counts ? cost : Math.min(cost, limit);
        });
        const reply = await store.decide(operation, keys, asked, policies);
        expect(reply).toEqual(model.decide(operation, keys, asked, policies));
        if (operation !== "consume") continue;
        const denying = reply.rows.map(({ allowed }, i) => (allowed ? "" : policies[i]!.role));
        seen.allowed += Number(!denying.includes("enforced") && !denying.includes("denials"));
        seen.denied += Number(denying.includes("enforced"));
        seen.advised += Number(denying.includes("advisory"));
        seen.banned += Number(denying.includes("denials"));
        seen.owed += Number(denying.includes("owed"));
      }
    }),
    { numRuns: runs(500) },
  );
  // Not for want of trying.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(least(200));
});

test("a consume hands a ban's state over to other numbers, a peek does not", async () => {
  const store = storeWithClock(redis, () => FUTURE);
  const banFor = (per: "10s" | "20s") =>
    compile([
      fixedWindow({ name: "requests", limit: 5, window: "10s" }),
      tokenBucket({ name: "ban", limit: 3, refill: 3, per, counts: "denials" }),
    ]);
  const id = crypto.randomUUID();
  const keys = ["requests", "ban"].map((name) => `tg:{${id}}:${name}`);
  await store.decide("consume", keys, [1, 2], banFor("10s"));
  const before = await redis.get(keys[1]!);
  await store.decide("peek", keys, [1, 0], banFor("20s"));
  expect(await redis.get(keys[1]!)).toBe(before);
  await store.decide("consume", keys, [1, 0], banFor("20s"));
  expect(await redis.get(keys[1]!)).not.toBe(before);
});
