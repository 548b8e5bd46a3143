import { expect, inject, test } from "vitest";

import { fixedWindow } from "../support/limiter/plain.ts";
import { createLimiter } from "../support/limiter/plain.ts";
import { IS_WHOLE } from "../support/runs.ts";

const LIMIT = IS_WHOLE ? 1_000 : 400;

test.for([
  ["twice as much", 2 * LIMIT, LIMIT],
  ["a tenth more", 1.1 * LIMIT, 0.95 * LIMIT],
] as const)(
  "sixteen isolates that ask for %s than the limit of eight shards get no more than the limit",
  { timeout: 60_000 },
  async ([, offered, least]) => {
    const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
    const hot = fixedWindow({ name: "hot", limit: LIMIT, window: "366d", shards: 8 });
    const identity = `shards-under-load-${crypto.randomUUID()}`;
    let left = offered;
    async function isolate(): Promise<number> {
      const limiter = createLimiter({ redis, policies: [hot], timeout: "1m", onFailure: "closed" });
      let allowed = 0;
      while (left-- > 0) allowed += Number((await limiter.limit(identity)).allowed);
      return allowed;
    }
    const admitted = await Promise.all(Array.from({ length: 16 }, isolate));
    const sum = admitted.reduce((total, each) => total + each, 0);
    expect(sum).toBeLessThanOrEqual(LIMIT);
    expect(sum).toBeGreaterThanOrEqual(least);
  },
);
