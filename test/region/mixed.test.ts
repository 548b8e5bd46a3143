import { describe, expect, test } from "vitest";

import type { Policy } from "../../src/policy/policy.ts";
import { excessOf } from "../support/lease/excess.ts";
import { fixedWindow, slidingWindowLog, tokenBucket } from "../support/limiter/plain.ts";
import { IS_WHOLE, runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";
import type { Books } from "./ledger/books.ts";
import { play } from "./ledger/play.ts";
import { steadyStory } from "./ledger/steady-story.ts";
import type { Arrival, Story } from "./ledger/story.ts";

/* Limiters with and without a region count one policy, as while `region` is rolled out or taken back. */

const redis = testRedis();
/** Stories of each cell. */
const STORIES = runs(20);
const TERM_MS = 250;
const SECONDS = 6;
/** Before the units of the first burst come back. */
const SWITCH_US = 2_200_000;

const POLICIES: readonly Policy[] = [
  slidingWindowLog({ name: "p", limit: 400, window: "2s" }),
  fixedWindow({ name: "p", limit: 400, window: "2s" }),
  tokenBucket({ name: "p", limit: 400, refill: 200, per: "1s" }),
];

interface Mix {
  readonly how: string;
  /** Whether a limiter without the region decides a request. */
  readonly isPlain: (arrival: Arrival, index: number) => boolean;
  /** The algorithms of which units come on top. */
  readonly onTop: readonly string[];
  /** That of each of the two regions. */
  readonly credit?: number;
}

const MIXES: readonly Mix[] = [
  { how: "is taken back", isPlain: ({ at }) => at > SWITCH_US, onTop: ["sliding-window-log"] },
  { how: "is rolled out at once", isPlain: ({ at }) => at < SWITCH_US, onTop: [] },
  { how: "is in every other limiter", isPlain: (_, i) => i % 2 === 0, onTop: ["token-bucket"] },
  {
    how: "is in every other limiter, with credit",
    isPlain: (_, i) => i % 2 === 0,
    onTop: ["sliding-window-log", "fixed-window", "token-bucket"],
    credit: 20,
  },
];

/** Two regions of one identity, with right clocks; each second half of a second brings six times the limit. */
function storyOf(policy: Policy, seed: number, { isPlain, credit = 0 }: Mix): Story {
  const bucket = { ...tokenBucket({ name: "p", limit: 400, refill: 200, per: "1s" }), refill: 200 };
  const steady = { seed, policy: bucket, regions: 2, isolates: 2, load: 6, seconds: SECONDS };
  const story = steadyStory(steady);
  const right = { pace: 0, offsetUs: 0 };
  return {
    ...story,
    termMs: TERM_MS,
    credit,
    versions: [{ policies: [{ ...policy, by: "*" }], plans: {} }],
    home: { ...story.home, ...right },
    regions: story.regions.map((region) => ({ ...region, ...right })),
    arrivals: story.arrivals
      .filter(({ at }, i) => at % 1e6 > 5e5 || i % 12 === 0)
      .map((arrival, i) => Object.assign(arrival, { isPlain: isPlain(arrival, i) })),
  };
}

/** The most units that all regions held at one time, and when home last took some. */
function heldIn({ entries: { taken, passed } }: Books) {
  const events = [
    ...taken.map(({ pool, at, units }) => ({ pool, at, units, isTaken: true })),
    ...passed.flatMap(({ pool, at, units }) => (pool ? { pool, at, units, isTaken: false } : [])),
  ].toSorted((a, b) => a.at - b.at || Number(b.isTaken) - Number(a.isTaken));
  let batches: { readonly pool: string; readonly at: number; left: number }[] = [];
  let most = 0;
  for (const { pool, at, units, isTaken } of events) {
    batches = batches.filter((batch) => batch.left > 0 && at - batch.at <= TERM_MS * 1000);
    if (isTaken) batches.push({ pool, at, left: units });
    let rest = isTaken ? 0 : units;
    for (const batch of batches.filter((each) => each.pool === pool)) {
      const spent = Math.min(rest, batch.left);
      batch.left -= spent;
      rest -= spent;
    }
    most = Math.max(
      most,
      batches.reduce((sum, { left }) => sum + left, 0),
    );
  }
  return { most, untilUs: Math.max(...taken.map(({ at }) => at)) + TERM_MS * 1000 };
}

describe.each(POLICIES)("$algorithm", (policy) => {
  test.each(MIXES)(
    "where region $how, a policy has at most the units on top that regions hold",
    { timeout: 60_000 + STORIES * 1_000 },
    async (mix) => {
      const { how, onTop, credit = 0 } = mix;
      let beyond = -Infinity;
      for (let seed = 1; seed <= STORIES; seed++) {
        const { books } = await play(redis, storyOf(policy, seed, mix));
        const { most, untilUs } = heldIn(books);
        expect(most).toBeGreaterThan(0);
        const admissions = books.entries.passed
          .map(({ at, units }) => ({ time: at, units }))
          .toSorted((a, b) => a.time - b.time);
        const excess = excessOf(policy, admissions);
        beyond = Math.max(beyond, excess);
        expect(excess, `seed ${seed}`).toBeLessThanOrEqual(most + 2 * credit);
        const later = admissions.filter(({ time }) => time > untilUs);
        expect(excessOf(policy, later), `seed ${seed}, later`).toBeLessThanOrEqual(0);
      }
      if (IS_WHOLE && onTop.includes(policy.algorithm)) expect(beyond).toBeGreaterThan(0);
      if (credit === 0 && (onTop.length === 0 || policy.algorithm === "fixed-window")) {
        expect(beyond, how).toBeLessThanOrEqual(0);
      }
    },
  );
});
