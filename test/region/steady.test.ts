import { expect, test } from "vitest";

import { tightenForRegion } from "../../src/policy/tighten.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { excessOf } from "../support/lease/excess.ts";
import { tokenBucket } from "../support/limiter/plain.ts";
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
