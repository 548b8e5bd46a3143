import { expect, test } from "vitest";

import { segmentedWindow, slidingWindowCounter, slidingWindowLog } from "../../src/index.ts";
import { tightenPolicy } from "../../src/policy/tighten.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { testRedis } from "../support/test-redis.ts";

/*
 * Scripts take a state with an even longer window for that of another program. A lease makes the longest window ten seconds
 * longer, and segments are rounded up.
 */

const redis = testRedis();

const options = { name: "longest", limit: 5, window: "366d" } as const;

test.for([
  ["segments that are rounded up", segmentedWindow({ ...options, segments: 7 }), 0],
  ["leased segments", segmentedWindow(options), 10e6],
  ["leased counts", slidingWindowCounter(options), 10e6],
  ["a leased log", slidingWindowLog(options), 10e6],
] as const)(
  "units of the longest window still count under another one: %s",
  async ([_name, policy, leaseUs]) => {
    const key = `longest:{${crypto.randomUUID()}}`;
    const clock = { now: FUTURE };
    const store = storeWithClock(redis, () => clock.now);
    const longest = tightenPolicy(compilePolicy(policy), leaseUs);
    const shorter = compilePolicy({ ...policy, window: "365d" });
    const isAllowed = async (compiled: typeof longest, cost: number) =>
      (await store.decide("consume", [key], [cost], [compiled])).rows[0]!.allowed;
    expect(await isAllowed(longest, 5)).toBe(true);
    expect(await isAllowed(shorter, 1)).toBe(false);
    expect(await isAllowed(longest, 1)).toBe(false);
    clock.now -= 60e6;
    expect(await isAllowed(longest, 1)).toBe(false);
  },
);
