import { expect, test } from "vitest";

import { tokenBucket } from "../support/limiter/plain.ts";
import { testRedis } from "../support/test-redis.ts";
import { play } from "./ledger/play.ts";
import { steadyStory } from "./ledger/steady-story.ts";

/* A hot key, 10 to 90 ms away from home, as many requests all the time. */

const redis = testRedis();

/** Plays a story, and returns its shares: of the requests that waited for home, and of the units that could be admitted. */
async function shares(options: Omit<Parameters<typeof steadyStory>[0], "seed">) {
  const { books, counts } = await play(redis, steadyStory({ ...options, seed: 4 }));
  expect(books.faults()).toEqual([]);
  const of = (what: string) => counts.get(what) ?? 0;
  const { policy, seconds } = options;
  return {
    requests: of("limit"),
    waiting: of("waited") / of("limit"),
    // Home enforces a bucket that is smaller by the refill of a term.
    usable:
      (of("by-home") + of("by-region")) / (policy.limit - policy.refill + policy.refill * seconds),
  };
}

const bucket = (refill: number, seconds: number) => ({
  ...tokenBucket({ name: "hot", limit: seconds * refill, refill, per: "1s" }),
  refill,
});

test.each([
  { load: 0.9, seconds: 12, waiting: 0.05, usable: 0 },
  { load: 1.4, seconds: 12, waiting: 0.05, usable: 0.97 },
  // Until the first units are there, each request asks home.
  { load: 5, seconds: 4, waiting: 0.1, usable: 0.95 },
])(
  "at $load times the limit few requests wait for home, and the limit stays usable",
  async ({ load, seconds, waiting, usable }) => {
    const story = { policy: bucket(200, 4), regions: 5, isolates: 20, load, seconds };
    const seen = await shares(story);
    expect(seen.waiting).toBeLessThan(waiting);
    expect(seen.usable).toBeGreaterThan(usable);
  },
);

test.each([
  { load: 0.9, seconds: 6, waiting: 0.05, usable: 0 },
  { load: 1.4, seconds: 6, waiting: 0.05, usable: 0.95 },
  { load: 5, seconds: 4, waiting: 0.05, usable: 0.9 },
])(
  "thirty regions and 3,000 isolates keep one limit at $load times it",
  { timeout: 240_000 },
  async ({ load, seconds, waiting, usable }) => {
    const world = { regions: 30, isolates: 100, seconds };
    const seen = await shares({ policy: bucket(3_000, 2), load, ...world });
    expect(seen.requests).toBeGreaterThan(2_900 * load * seconds);
    expect(seen.waiting).toBeLessThan(waiting);
    expect(seen.usable).toBeGreaterThan(usable);
    expect(seen.usable).toBeLessThanOrEqual(1);
  },
);
