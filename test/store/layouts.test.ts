import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { IMPLEMENTATION } from "../../src/algorithms/algorithm.ts";
import type { Implementation } from "../../src/algorithms/algorithm.ts";
import { createLimiter, type Policy } from "../../src/index.ts";
import { everyPolicy } from "../support/every-policy.ts";

const LIMIT = 6;

/** The same policy as a later version of the package might keep it: with a layout that this one cannot read. */
function ofNextLayout(policy: Policy): Policy {
  const implementation = policy[IMPLEMENTATION];
  const next: Implementation = { ...implementation, layout: implementation.layout + 1 };
  return { ...policy, [IMPLEMENTATION]: next };
}

test.for(everyPolicy(LIMIT, "30d"))(
  "two versions of $algorithm on one Redis count apart, however they alternate",
  async (given) => {
    const redis = new Redis(inject("redisUrl"));
    onTestFinished(() => redis.disconnect());
    const prefix = crypto.randomUUID();
    const policy = { ...given, name: "daily" } as Policy;
    const [now, next] = [policy, ofNextLayout(policy)].map((each) =>
      createLimiter({
        redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
        prefix,
        timeout: "10s",
        denialCache: false,
        policies: [each],
      }),
    );
    const admitted = [0, 0];
    for (let request = 0; request < 6 * LIMIT; request++) {
      const which = request % 2;
      const { allowed } = await [now!, next!][which]!.limit("ada");
      if (allowed) admitted[which]!++;
    }
    expect(admitted).toEqual([LIMIT, LIMIT]);
    const keys = (await redis.keys(`${prefix}:*`)).sort();
    expect(keys).toHaveLength(2);
    // The first layout has no number.
    const { layout } = policy[IMPLEMENTATION];
    const [ended, nextEnded] = [layout, layout + 1].map((number) => (number === 1 ? "" : number));
    const after = (number: number | "") => new RegExp(`:[a-z]${number}(?=:|$)`);
    expect(keys[0]).toMatch(after(ended!));
    expect(keys[1]).toBe(
      keys[0]!.replace(after(ended!), (code) => code.slice(0, 2) + String(nextEnded)),
    );
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  },
);
