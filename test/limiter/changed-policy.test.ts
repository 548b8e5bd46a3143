import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, inject, test } from "vitest";

import type { Duration } from "../../src/options/duration.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { factsOf } from "../support/algorithms/all.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { createLimiter, type Limiter } from "../support/limiter/plain.ts";

/*
 * A deployment changes a policy and leaves its name, in a real Redis, whose keys expire: limits count together, windows apart.
 */

const LIMIT = 10;
const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };

/** Every algorithm under one name; their denial caches would hide what Redis says. */
const limitersOf = (limit: number, window: Duration): Limiter[] =>
  everyPolicy(limit, window).map((policy: Policy) =>
    createLimiter({
      redis,
      timeout: "10s",
      policies: [{ ...policy, name: "orders" }],
      denialCache: false,
    }),
  );

// Without a boundary within a test.
const [month, smaller, larger] = [
  limitersOf(LIMIT, "30d"),
  limitersOf(LIMIT / 2, "30d"),
  limitersOf(2 * LIMIT, "30d"),
];
const other = limitersOf(LIMIT, "29d");
const short = limitersOf(LIMIT, "1s");
const cases = everyPolicy(LIMIT, "30d").map(({ algorithm }, i) => ({ algorithm, i }));
const refills = (algorithm: string) => factsOf(algorithm as never).refills === true;

/** How many of so many requests pass. */
async function admitted(limiter: Limiter, identity: string, requests: number): Promise<number> {
  let passed = 0;
  for (let request = 0; request < requests; request++) {
    const decision = await limiter.limit(identity);
    expect(decision.reason).not.toBe("store-unavailable");
    if (decision.allowed) passed++;
  }
  return passed;
}

describe.concurrent("a policy that changes under its name", () => {
  test.for(cases)("$algorithm: another limit counts all that was taken", async ({ i }) => {
    const identity = crypto.randomUUID();
    expect(await admitted(month[i]!, identity, 7)).toBe(7);
    expect(await admitted(smaller[i]!, identity, LIMIT)).toBe(0);
    expect(await admitted(larger[i]!, identity, 2 * LIMIT)).toBe(2 * LIMIT - 7);
    expect(await admitted(month[i]!, identity, LIMIT)).toBe(0);
  });

  test.for(cases)(
    "$algorithm: with another window a client begins anew once; a bucket goes on",
    async ({ algorithm, i }) => {
      const identity = crypto.randomUUID();
      expect(await admitted(month[i]!, identity, LIMIT)).toBe(LIMIT);
      expect(await admitted(other[i]!, identity, 2 * LIMIT)).toBe(refills(algorithm) ? 0 : LIMIT);
      // And back, as in a deployment that is undone.
      for (const limiter of [month[i]!, other[i]!]) {
        expect(await admitted(limiter, identity, LIMIT)).toBe(0);
      }
    },
  );

  test.for(cases.filter(({ algorithm }) => refills(algorithm)))(
    "$algorithm: its count does not end with the key that the faster rate would have had",
    async ({ i }) => {
      const identity = crypto.randomUUID();
      expect((await short[i]!.limit(identity, { cost: LIMIT })).allowed).toBe(true);
      // Some units may be back at the faster rate.
      expect(await admitted(month[i]!, identity, 2 * LIMIT)).toBeLessThanOrEqual(LIMIT);
      await sleep(3_600);
      expect(await admitted(month[i]!, identity, 2 * LIMIT)).toBe(0);
    },
  );
});
