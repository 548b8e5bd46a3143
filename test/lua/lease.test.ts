import fc from "fast-check";
import { expect, test } from "vitest";

import { openMemoryStore } from "../../src/store/memory-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
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
  own: fc.nat(1),
  most: fc.constantFrom(0, 1, 5, 1_000),
  /** Which earlier leases are reported as spent, the last one first, and how many of their units at most. */
  reports: fc.array(fc.tuple(fc.nat(3), fc.nat(30)), { maxLength: 2 }),
});

test("a lease of several policies has the same answer in Redis and in memory, and leaves the same state", async () => {
  const store = redisStore(client, ALL_SCRIPTS);
  let now = 0;
  let granted = 0;
  let denied = 0;
  let partly = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(policy, mode), { minLength: 1, maxLength: 4 }),
      /** Whether expired units are missing for a time, and not until their window ends. */
      fc.boolean(),
      fc.array(step, { minLength: 1, maxLength: 25, size: "max" }),
      async (drawn, isTimed, steps) => {
        const policies = compile(
          drawn.map(([given, as], i) => ({ ...given, ...(as && { mode: as }), name: `p${i}` })),
        );
        const smallest = Math.min(...policies.map(({ limit: most }) => most));
        const id = crypto.randomUUID();
        const keys = policies.map(({ name }) => `tg:{${id}}:${name}`);
        const model = openMemoryStore({ now: () => now });
        const leases: (readonly number[])[] = [];
        for (const { operation, cost, own, most, reports } of steps) {
          const units =
            operation === "lease" || operation === "charge" ? cost : Math.min(cost, smallest);
          const request = {
            own,
            bounds: policies.map(({ windowUs }) => ({ most, periodUs: isTimed ? windowUs : 0 })),
            spent: reports.flatMap(([back, spent]) => {
              const epochs = leases.at(-1 - back);
              return epochs ? [{ units: spent, epochs }] : [];
            }),
          };
          const costs = policies.map(() => units);
          const reply = await store.decide(operation, keys, costs, policies, undefined, request);
          now = reply.nowUs;
          expect(reply).toEqual(model.decide(operation, keys, costs, policies, undefined, request));
          if (operation !== "lease") continue;
          leases.push(reply.epochs!);
          if (reply.leased! <= own && reply.rows.every(({ remaining }) => remaining > 0)) refused++;
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
  expect(refused).toBeGreaterThan(least(50));
});

test("the accounts of leases are the same in both, by a clock that goes forwards and back", async () => {
  // Later than the server's clock, by which keys expire.
  const start = Date.UTC(2099, 0, 1) * 1000;
  let now = start;
  const store = storeWithClock(redis, () => now);
  const event = fc.record({
    /** In windows. */
    passed: fc.constantFrom(0, 0.3, 0.9, 1, 1.1, 2.5, -0.2, -1.5, -3),
    own: fc.nat(1),
    reports: step.map(({ reports }) => reports),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(ALGORITHMS.length - 1),
      fc.boolean(),
      fc.array(event, { minLength: 5, maxLength: 20 }),
      async (index, isTimed, events) => {
        const policies = compile([everyPolicy(1_000, "1s")[index]!]);
        const [{ windowUs, key }] = policies as [(typeof policies)[number]];
        const keys = [`tg:{${crypto.randomUUID()}}:${key}`];
        const model = openMemoryStore({ now: () => now });
        const bounds = [{ most: 20, periodUs: isTimed ? windowUs : 0 }];
        const leases: (readonly number[])[] = [];
        now = start;
        for (const { passed, own, reports } of events) {
          now += Math.round(passed * windowUs);
          const spent = reports.flatMap(([back, units]) => {
            const epochs = leases.at(-1 - back);
            return epochs ? [{ units, epochs }] : [];
          });
          const request = { own, bounds, spent };
          const reply = await store.decide("lease", keys, [8], policies, undefined, request);
          expect(reply).toEqual(model.decide("lease", keys, [8], policies, undefined, request));
          leases.push(reply.epochs!);
        }
      },
    ),
    { numRuns: runs(200) },
  );
});
