import { expect, inject, test } from "vitest";

import { everyPolicy } from "../support/every-policy.ts";
import { createLimiter, memoryStore } from "../support/limiter/plain.ts";

const LIMIT = 5;
const policies = everyPolicy(LIMIT, "1h");
const pairs = policies.flatMap((first, i) =>
  policies.slice(i + 1).map((second) => ({ first, second })),
);

const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };

test.for(
  pairs.flatMap(({ first, second }) => [
    { where: "Redis", first, second },
    { where: "memory", first, second },
  ]),
)(
  "a $first.algorithm and a $second.algorithm of one name in $where: each keeps its limit",
  async ({ where, first, second }) => {
    const place = where === "Redis" ? { redis, timeout: "10s" as const } : { store: memoryStore() };
    // Their denial caches would hide the store's answers.
    const limiters = [first, second].map((policy) =>
      createLimiter({ ...place, policies: [{ ...policy, name: "rides" }], denialCache: false }),
    );
    const identity = crypto.randomUUID();
    const admitted = [0, 0];
    for (let request = 0; request < 2 * LIMIT; request++) {
      for (const [i, limiter] of limiters.entries()) {
        const decision = await limiter.limit(identity);
        expect(decision.reason).not.toBe("store-unavailable");
        if (decision.allowed) admitted[i]!++;
      }
    }
    expect(admitted).toEqual([LIMIT, LIMIT]);
  },
);
