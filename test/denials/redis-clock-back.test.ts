import { describe, expect, test } from "vitest";

import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { factsOf } from "../support/algorithms/all.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { some } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

/*
 * Two isolates with denial caches of their own, on one Redis whose clock goes back. Counted from the step, the next
 * request must pass within two windows: one that it would have had to wait for anyway, and one for the step.
 */

const redis = testRedis();

const WINDOW = 10_000;
/** Milliseconds between two requests of an isolate. */
const PACE = 100;

interface World {
  /** Milliseconds that have passed for all isolates. */
  time: number;
  /** By how many milliseconds Redis's clock has gone back. */
  back: number;
}

/** What Redis's clock shows, in microseconds. */
const clockOf = (world: World) => () => FUTURE + Math.round((world.time - world.back) * 1000);

interface Story {
  readonly policy: Policy;
  readonly cost?: number;
  /** By how many milliseconds the clock goes back, and how long after the quota was spent. */
  readonly step: number;
  readonly after?: number;
}

/** How long after the step a client waits that keeps asking both isolates, in milliseconds. */
async function lockout(
  { policy, cost = 1, step, after = 0 }: Story,
  storeOf: (world: World) => Store,
): Promise<number> {
  const world: World = { time: 0, back: 0 };
  const store = storeOf(world);
  const now = () => 1e6 + world.time;
  const isolates = [1, 2].map(() => builtLimiter(store, { policies: [policy] }, { now }));
  const identity = crypto.randomUUID();
  for (const isolate of isolates) {
    while ((await isolate.limit(identity, { cost })).allowed);
  }
  world.time += after;
  // Units that came back meanwhile are spent, too.
  for (const isolate of isolates) {
    while ((await isolate.limit(identity, { cost })).allowed);
  }
  const steppedAt = world.time;
  world.back = step;
  for (;;) {
    world.time += PACE;
    for (const isolate of isolates) {
      const { allowed } = await isolate.limit(identity, { cost });
      if (allowed) return world.time - steppedAt;
    }
    if (world.time - steppedAt > 100 * WINDOW) return Infinity;
  }
}

const inRedis = (world: World) => storeWithClock(redis, clockOf(world));
const inMemory = (world: World) => openMemoryStore({ now: clockOf(world) });

/** The longest wait of a request without a step, in milliseconds: a step adds at most that much. */
function longestWait(policy: Policy, cost: number): number {
  return WINDOW * (factsOf(policy.algorithm).waitWithoutDebt?.(policy, cost) ?? 1);
}

describe.each(everyPolicy(5, "10s"))("$algorithm", (policy) => {
  test.for([1_000, 9_000, 15_000, 30_000, 90_000])(
    "in Redis, whose clock goes back by %i ms: passes again a window later at most",
    async (step) => {
      expect(await lockout({ policy, step }, inRedis)).toBeLessThanOrEqual(
        WINDOW + longestWait(policy, 1) + PACE,
      );
    },
  );
});

const policies: Policy[] = [
  ...everyPolicy(5, "10s"),
  ...everyPolicy(40, "10s"),
  tokenBucket({ limit: 20, refill: 7, per: "3s" }),
  segmentedWindow({ limit: 6, window: "10s", segments: 1 }),
  segmentedWindow({ limit: 6, window: "10s", segments: 3 }),
];

/** Twice a second up to 25 s, and every five seconds up to 100 s. */
const STEPS = Array.from({ length: 65 }, (_, i) => (i < 50 ? 500 * (i + 1) : 5_000 * (i - 44)));

test.for(policies)(
  "$algorithm of $limit, stepped by 0.5 to 100 s at any time: no request waits for a window longer",
  async (policy) => {
    for (const after of [0, 2_300, 9_990]) {
      for (const cost of [1, policy.limit]) {
        const story = { policy, cost, after };
        const steady = await lockout({ ...story, step: 0 }, inMemory);
        for (const step of some(STEPS)) {
          const stepped = await lockout({ ...story, step }, inMemory);
          const most = longestWait(policy, cost) + PACE;
          expect({ step, after, cost, longer: stepped - steady, most }).toSatisfy(
            ({ longer }) => longer <= most,
          );
        }
      }
    }
  },
);
