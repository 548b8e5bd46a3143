import fc from "fast-check";
import { expect, test } from "vitest";

import { openMemoryStore } from "../../src/store/memory-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { least, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

const client: RedisClient = {
  evalsha: (sha1, keys, args) => redis.evalsha(sha1, keys.length, ...keys, ...args),
  eval: (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
};

const limit = fc.integer({ min: 1, max: 40 });
const window = fc.constantFrom("20ms" as const, "1s" as const, "1d" as const);
const policy = fc
  .tuple(fc.nat(ALGORITHMS.length - 1), limit, window)
  .map(([index, size, length]) => everyPolicy(size, length)[index]!);
const mode = fc.constantFrom(undefined, "shadow" as const, "soft" as const);
const step = fc.record({
  operation: fc.constantFrom("lease", "lease", "lease", "consume", "peek", "charge"),
  cost: fc.integer({ min: 1, max: 30 }),
});

test("a lease of several policies has the same answer in Redis and in memory, and leaves the same state", async () => {
  const store = redisStore(client, ALL_SCRIPTS);
  let now = 0;
  let granted = 0;
  let denied = 0;
  let partly = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(policy, mode), { minLength: 1, maxLength: 4 }),
      fc.array(step, { minLength: 1, maxLength: 25, size: "max" }),
      async (drawn, steps) => {
        const policies = compile(
          drawn.map(([given, as], i) => ({ ...given, ...(as && { mode: as }), name: `p${i}` })),
        );
        const smallest = Math.min(...policies.map(({ limit: most }) => most));
        const id = crypto.randomUUID();
        const keys = policies.map(({ name }) => `tg:{${id}}:${name}`);
        const model = openMemoryStore({ now: () => now });
        for (const { operation, cost } of steps) {
          const units =
            operation === "lease" || operation === "charge" ? cost : Math.min(cost, smallest);
          const reply = await store.decide(
            operation,
            keys,
            policies.map(() => units),
            policies,
          );
          now = reply.nowUs;
          expect(reply).toEqual(
            model.decide(
              operation,
              keys,
              policies.map(() => units),
              policies,
            ),
          );
          if (operation !== "lease") continue;
          if (reply.charged?.some((units) => units < reply.leased!)) partly++;
          if (reply.leased! > 0) granted++;
          else denied++;
        }
      },
    ),
    { numRuns: runs(300) },
  );
  // Not for want of trying.
  expect(granted).toBeGreaterThan(least(200));
  expect(denied).toBeGreaterThan(least(200));
  expect(partly).toBeGreaterThan(least(50));
});
