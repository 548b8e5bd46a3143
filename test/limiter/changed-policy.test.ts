import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, inject, test } from "vitest";

import { createLimiter, type Limiter } from "../../src/index.ts";
import type { Duration } from "../../src/options/duration.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

/*
 * A deployment changes a policy and leaves its name: units taken before go on counting, in a real Redis, whose keys expire.
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

const short = limitersOf(LIMIT, "1s");
// Without a boundary within a test.
const long = limitersOf(LIMIT, "30d");
const cases = everyPolicy(LIMIT, "30d").map(({ algorithm }, i) => ({
  algorithm,
  before: short[i]!,
  after: long[i]!,
}));

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

/** An identity that has just taken so many units, of which none has to come back for 400 ms. */
async function spender(limiter: Limiter, cost: number): Promise<string> {
  for (;;) {
    const identity = crypto.randomUUID();
    const { allowed, policies } = await limiter.limit(identity, { cost });
    expect(allowed).toBe(true);
    // A window on a grid may be about to end.
    if (policies[0]!.resetAfterMs > (cost / LIMIT) * 1000 - 1 || policies[0]!.resetAfterMs > 400) {
      return identity;
    }
  }
}

/** Units taken before count exactly; of a bucket some of them may be back at the faster rate. */
function expectCarriedOver(algorithm: string, admitted: number, units: number): void {
  expect(admitted).toBeGreaterThanOrEqual(LIMIT - units);
  expect(admitted).toBeLessThanOrEqual(algorithm === "token-bucket" ? LIMIT : LIMIT - units);
}

/** Longer than the key of the old window is ever kept. */
const OLD_KEY_GONE = 3_600;

describe.concurrent("a window that becomes longer", () => {
  test.for(cases)(
    "$algorithm: ten pass in a month, though the old key would be gone",
    async ({ algorithm, before, after }) => {
      const identity = await spender(before, 1);
      const first = await admitted(after, identity, 2 * LIMIT);
      expectCarriedOver(algorithm, first, 1);
      await sleep(OLD_KEY_GONE);
      expect(await admitted(after, identity, 2 * LIMIT)).toBe(0);
    },
  );

  test.for(cases)(
    "$algorithm: neither does the count end where only denials come",
    async ({ algorithm, before, after }) => {
      const identity = await spender(before, LIMIT);
      const first = await admitted(after, identity, 2 * LIMIT);
      expectCarriedOver(algorithm, first, LIMIT);
      await sleep(OLD_KEY_GONE);
      expect(await admitted(after, identity, 2 * LIMIT)).toBe(0);
    },
  );
});
