import { expect, test } from "vitest";

import { tightenForRegion } from "../../src/policy/tighten.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { excessOf } from "../support/lease/excess.ts";
import { tokenBucket } from "../support/limiter/plain.ts";
import { IS_WHOLE } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { steady, world } from "./regions.ts";

/* A hot key in five regions, 10 to 90 ms away from home, as many requests all the time. */

const redis = testRedis();

const RATE = 200;
const policy = tokenBucket({ limit: 800, refill: RATE, per: "1s" });
const atHome = tightenForRegion(compilePolicy(policy), { termUs: 1e6, credit: 0, reserve: 0 });

test.each([
  { load: 0.9, span: 12e6, waiting: 0.05, usable: 0 },
  { load: 1.4, span: 12e6, waiting: 0.05, usable: 0.97 },
  // Until the first units are there, each request asks home.
  { load: 5, span: 4e6, waiting: 0.1, usable: 0.95 },
])(
  "at $load times the limit few requests wait for home, and the limit stays usable",
  async ({ load, span, waiting, usable }) => {
    const { admissions, nearby, waited } = await world(redis, {
      seed: 4,
      regions: 5,
      policies: [atHome],
      span,
      trouble: false,
      remembers: true,
      demand: steady(load),
    });
    const units = admissions[0]!.reduce((sum, each) => sum + each.units, 0);
    const most = atHome.limit + (RATE * span) / 1e6;
    expect(excessOf(policy, admissions[0]!)).toBeLessThanOrEqual(0);
    expect(waited / (nearby + waited)).toBeLessThan(waiting);
    expect(units / most).toBeGreaterThan(usable);
  },
);

test("thirty regions keep one limit, though each request comes to an isolate of its own", async () => {
  const many = tokenBucket({ limit: 6_000, refill: 3_000, per: "1s" });
  const policies = [tightenForRegion(compilePolicy(many), { termUs: 1e6, credit: 0, reserve: 0 })];
  const { admissions, nearby, waited } = await world(redis, {
    seed: 5,
    regions: 30,
    policies,
    span: IS_WHOLE ? 4e6 : 1e6,
    trouble: false,
    remembers: true,
    demand: steady(1.4),
  });
  // 4,200 isolates a second.
  expect(nearby + waited).toBeGreaterThan(4_000);
  expect(excessOf(many, admissions[0]!)).toBeLessThanOrEqual(0);
  expect(waited / (nearby + waited)).toBeLessThan(IS_WHOLE ? 0.15 : 0.5);
});
