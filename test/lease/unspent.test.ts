import fc from "fast-check";
import { expect, test } from "vitest";

import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { createLimiter, fixedWindow, memoryStore, type Policy } from "../support/limiter/plain.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import { type Bursts, bursts, type Quiet } from "./bursts.ts";

/*
 * Units that isolates lease and do not spend. The test adds up what the store counted and what requests got, and takes nothing
 * from the accounts by which the store bounds the difference.
 */

const redis = testRedis();

/** The beginning of a UTC day and month, later than any real clock. */
const START_US = Date.UTC(2099, 0, 1) * 1000;

const DAY_US = 8.64e10;
const WINDOWS_US = { "10s": 1e7, "1m": 6e7, "1h": 3.6e9, "1d": DAY_US, "30d": 30 * DAY_US };

type Window = keyof typeof WINDOWS_US;

/** The number of the window of this policy that holds a moment; `undefined` if its windows trail. */
function windowOf({ algorithm, window }: Policy & { window?: string }, windowUs: number) {
  if (algorithm !== "fixed-window") return undefined;
  return window === "month"
    ? (atUs: number) => new Date(atUs / 1000).getUTCMonth()
    : (atUs: number) => Math.floor(atUs / windowUs);
}

/** The most units that were lost within one window. */
function worstOf(quiet: readonly Quiet[], isTogether: (from: number, to: number) => boolean) {
  let worst = 0;
  for (const [i, from] of quiet.entries()) {
    for (const to of quiet.slice(i + 1)) {
      if (isTogether(from.atUs, to.atUs)) worst = Math.max(worst, to.lost - from.lost);
    }
  }
  return worst;
}

const COSTS: Record<string, Bursts["costOf"]> = {
  one: () => 1,
  small: (next) => 1 + Math.floor(next() ** 3 * 4),
  large: (next) => (next() < 0.1 ? 10_000 : 1),
};

/** Leases, and times after which they are over. */
const LEASES_US = { auto: 1.1e6, "100ms": 1.1e5, "1s": 1.1e6 };

/** The largest of a log. */
const MAX_LIMIT = 100_000;

const drawn = fc.record({
  which: fc.nat(EVERY_ALGORITHM.length - 1),
  window: fc.constantFrom<Window[]>("10s", "1m", "1h", "1d", "30d"),
  lease: fc.constantFrom<(keyof typeof LEASES_US)[]>("auto", "auto", "100ms", "1s"),
  costs: fc.constantFrom("one", "one", "small", "large"),
  isolates: fc.constantFrom(1, 2, 10, 50),
  lost: fc.constantFrom(0, 0, 0.05),
  bursts: fc.integer({ min: 2, max: 60 }),
  windows: fc.constantFrom(1, 1, 3),
  /** The requested share of the limit. */
  load: fc.constantFrom(0.5, 1, 1.5),
  seed: fc.nat(),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

/** The part of the limit that was lost within a window. */
async function lossOf(
  { which, window, lease, costs, windows, load, ...rest }: Drawn,
  store?: Bursts["store"],
) {
  const windowUs = WINDOWS_US[window];
  const perBurst = costs === "large" ? 25_000 : 25;
  const wanted = Math.round((rest.bursts * perBurst) / windows / load);
  const limit = Math.min(MAX_LIMIT, Math.max(200, wanted));
  const given = EVERY_ALGORITHM[which]!.of(limit, window);
  const isMonth = given.algorithm === "fixed-window" && window === "30d";
  const policy = isMonth ? fixedWindow({ limit, window: "month" }) : given;
  const numberOf = windowOf(policy, windowUs);
  const { quiet, ...result } = await bursts({
    ...rest,
    policy,
    lease,
    quietUs: LEASES_US[lease],
    startUs: START_US,
    spanUs: windows * windowUs,
    size: [9, 40],
    costOf: COSTS[costs]!,
    ...(store && { store }),
  });
  const worst = worstOf(quiet, (from, to) =>
    numberOf ? numberOf(from) === numberOf(to) : to - from <= windowUs,
  );
  return { ...result, loss: worst / limit };
}

test("are at most a fiftieth of the limit in any window, with any bursts, costs and isolates", async () => {
  let [calls, decisions] = [0, 0];
  await fc.assert(
    fc.asyncProperty(drawn, async (scene) => {
      const result = await lossOf(scene);
      calls += result.calls;
      decisions += result.decisions;
      expect(result.loss).toBeLessThanOrEqual(0.02);
    }),
    { numRuns: runs(300) },
  );
  // The bound costs no calls: a request that gets no lease asks for itself with the same call.
  expect(calls).toBeLessThan(decisions);
});

test("are as few on Redis", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (scene) => {
      const { loss } = await lossOf(scene, (now) => storeWithClock(redis, now));
      expect(loss).toBeLessThanOrEqual(0.02);
    }),
    { numRuns: runs(15) },
  );
});

/** A store that counts in memory by a clock of the test, and the units that it has left of a policy of everybody. */
function world(policy: Policy) {
  const clock = { nowUs: START_US };
  const store = memoryStore({ now: () => clock.nowUs });
  const isolate = (...others: readonly Policy[]) =>
    createLimiter({ store, denialCache: false, policies: [{ ...policy, lease: "1s" }, ...others] });
  const left = async () => (await isolate().peek({})).policies[0]!.remaining;
  return { clock, isolate, left };
}

const daily = fixedWindow({ name: "daily", by: "*", limit: 1_000, window: "1d" });

test("are as few when every isolate takes its leases and is never seen again", async () => {
  const { clock, isolate, left } = world(daily);
  let admitted = 0;
  for (let i = 0; i < 60; i++) {
    const limiter = isolate();
    for (let request = 0; request < 20; request++) {
      clock.nowUs += 10_000;
      admitted += Number((await limiter.limit({})).allowed);
    }
  }
  expect(await left()).toBe(0);
  expect(admitted).toBeGreaterThanOrEqual(980);
});

test("are as few beside a policy that denies nearly all requests", async () => {
  const { clock, isolate, left } = world(daily);
  const limiter = isolate(fixedWindow({ name: "address", by: "ip", limit: 5, window: "1d" }));
  let admitted = 0;
  for (let request = 0; request < 20_000; request++) {
    clock.nowUs += 10_000;
    const ip = request % 100 === 0 ? `ip-${request}` : "greedy";
    admitted += Number((await limiter.limit({ ip })).allowed);
  }
  expect(admitted).toBe(205);
  expect(1_000 - (await left()) - admitted).toBeLessThanOrEqual(20);
});
