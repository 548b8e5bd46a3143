import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MODELS } from "../../src/algorithms/all.ts";
import { tightenPolicy } from "../../src/policy/tighten.ts";
import type { Store } from "../../src/store/store.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import {
  createLimiter,
  type CreateLimiterOptions,
  memoryStore,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { type Admission, fullestWindow } from "../support/model/trailing-window.ts";
import { least, runs } from "../support/runs.ts";

/* Leases that are switched on and off: a lease lengthens the window that the script counts, and never changes the key. */

const START_US = Date.UTC(2030, 0, 1) * 1000;

/** Limiters on one store, which notes the keys that it is asked about. */
function world() {
  const clock = { nowUs: START_US };
  const inner = memoryStore({ now: () => clock.nowUs });
  const keys = new Set<string>();
  const store: Store = {
    ...inner,
    decide(operation, asked, ...more) {
      for (const key of asked) keys.add(key);
      return inner.decide(operation, asked, ...more);
    },
  };
  const limiterOf = (options: Omit<CreateLimiterOptions, "store" | "redis">) =>
    createLimiter({ ...options, store, denialCache: false });
  return { clock, keys, limiterOf };
}

async function admitted(
  limiter: ReturnType<typeof createLimiter>,
  requests: number,
  plan?: string,
) {
  let passed = 0;
  for (let i = 0; i < requests; i++) {
    if ((await limiter.limit("ada", { plan })).allowed) passed++;
  }
  return passed;
}

const log = slidingWindowLog({ name: "log", limit: 100, window: "10s" });
const beside = (limit: number) => tokenBucket({ name: "bucket", limit, refill: 1000, per: "1s" });

test("all that a lease took counts once it is switched off, and on again", async () => {
  const { keys, limiterOf } = world();
  const leased = limiterOf({ policies: [log], lease: "200ms" });
  const exact = limiterOf({ policies: [log] });
  expect(await admitted(exact, 30)).toBe(30);
  const first = await admitted(leased, 200);
  // Units that an isolate has leased count as taken.
  expect(first).toBeLessThanOrEqual(70);
  expect(first).toBeGreaterThan(50);
  expect(await admitted(exact, 200)).toBeLessThanOrEqual(70 - first);
  expect(await admitted(limiterOf({ policies: [log], lease: "auto" }), 200)).toBe(0);
  expect([...keys]).toEqual(["tg:{ada}:log:l3:10s"]);
});

test.each<[string, Omit<CreateLimiterOptions, "store" | "redis">]>([
  ["alone", { policies: [log], lease: "auto" }],
  ["beside a bucket of 100", { policies: [log, beside(100)], lease: "auto" }],
  ["beside a bucket of 1,000", { policies: [log, beside(1_000)], lease: "auto" }],
  [
    "with a plan too small to lease",
    { policies: [log], lease: "auto", plans: { few: { log: { limit: 8 } } } },
  ],
  ["with a lease of its own", { policies: [{ ...log, lease: "1s" }] }],
])("a log %s has one key", async (_how, options) => {
  const { keys, limiterOf } = world();
  const limiter = limiterOf(options);
  await admitted(limiter, 10);
  expect([...keys].filter((key) => key.includes(":log:"))).toEqual(["tg:{ada}:log:l3:10s"]);
});

test("a plan that the lease does not fit counts what others have leased, by the same window", async () => {
  const { clock, keys, limiterOf } = world();
  const plans = { few: { log: { limit: 20 } }, many: { log: { limit: 200 } } };
  const limiter = limiterOf({ policies: [log], lease: "1s", plans });
  expect(await admitted(limiter, 15)).toBe(15);
  // The lease took more, for later.
  expect(await admitted(limiter, 50, "few")).toBeLessThanOrEqual(5);
  expect(await admitted(limiter, 300, "many")).toBeGreaterThan(100);
  expect([...keys]).toEqual(["tg:{ada}:log:l3:10s"]);
  // Each variant is tightened by the lease: nothing comes back before 11 s.
  clock.nowUs += 10.9e6;
  expect((await limiter.peek("ada", { plan: "few" })).policies[0]!.remaining).toBe(0);
  clock.nowUs += 0.2e6;
  expect((await limiter.peek("ada", { plan: "few" })).policies[0]!.remaining).toBe(20);
});

/**
 * By how much a unit may come back early after one switch, in microseconds. A segmented window does not store how long its segments
 * are: those of a window with this lease are a tenth of a second longer.
 */
const EARLY_US: Readonly<Record<string, number>> = { "segmented-window": 100_000 };

describe.each(EVERY_ALGORITHM.filter(({ tightens, most }) => tightens === "window" && most))(
  "$algorithm",
  ({ algorithm, of, most }) => {
    test("exceeds its promise in no window when its lease is switched on or off", () => {
      let denials = 0;
      const step = fc.record({
        gapUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900_000 })),
        cost: fc.integer({ min: 1, max: 4 }),
      });
      fc.assert(
        fc.property(
          fc.integer({ min: 4, max: 20 }),
          fc.boolean(),
          fc.nat(150),
          fc.array(step, { minLength: 20, maxLength: 150, size: "max" }),
          (limit, isLeasedFirst, switchesAt, steps) => {
            const policy = compilePolicy({ ...of(limit, "10s"), name: "p" });
            const leased = tightenPolicy(policy, 1e6);
            expect(leased.key).toBe(policy.key);
            const admissions: Admission[] = [];
            let state: unknown;
            let nowUs = START_US;
            for (const [i, { gapUs, cost }] of steps.entries()) {
              nowUs += gapUs;
              const isLeased = i < switchesAt === isLeasedFirst;
              const { implementation, parameters } = isLeased ? leased : policy;
              const request = { nowUs, operation: "consume", cost, limit, parameters } as const;
              const outcome = MODELS[implementation.name]!(state, request);
              state = outcome.state;
              if (outcome.allowed) admissions.push({ time: nowUs, units: cost });
              else denials++;
            }
            const spanUs = 10e6 - (EARLY_US[algorithm] ?? 0);
            expect(fullestWindow(admissions, spanUs)).toBeLessThanOrEqual(most!(limit));
          },
        ),
        { numRuns: runs(1_000) },
      );
      expect(denials).toBeGreaterThan(least(1_000));
    });
  },
);
