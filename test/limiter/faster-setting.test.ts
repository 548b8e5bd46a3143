import { expect, inject, test } from "vitest";

import {
  createLimiter,
  memoryStore,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";

/* A live change or a deployment raises the rate of a bucket that has other policies beside it. */

let nowUs = 1_800_000_000_000_000;
const stores = {
  memory: {
    options: { store: memoryStore({ now: () => nowUs }) },
    pass: async (ms: number) => void (nowUs += ms * 1000),
  },
  "Redis over HTTP": {
    options: {
      redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
      timeout: "10s",
      denialCache: false,
    },
    pass: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  },
} as const;

test.for(Object.entries(stores))(
  "a client that waits as the new rate asks passes, in %s",
  async ([, { options, pass }]) => {
    const limiterOf = (refill: number) =>
      createLimiter({
        ...options,
        policies: [
          tokenBucket({ name: `rides`, limit: 2, refill, per: "1d" }),
          slidingWindowLog({ name: "beside", limit: 1_000, window: "1d" }),
        ],
      });
    const [slow, fast] = [limiterOf(1), limiterOf(864_000)];
    const client = crypto.randomUUID();
    for (let ride = 0; ride < 2; ride++) expect((await slow.limit(client)).allowed).toBe(true);
    const denied = await fast.limit(client);
    expect(denied.allowed).toBe(false);
    // Ten per second.
    expect(denied.retryAfterMs).toBeLessThanOrEqual(100);
    await pass(101);
    expect((await fast.limit(client)).allowed).toBe(true);
  },
);
