import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";

import { memoryStore } from "../../src/index.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { ALGORITHMS } from "../support/policy/options-of.ts";
import { clientWithClock } from "../support/redis-with-clock.ts";
import { IS_WHOLE, least, runs } from "../support/runs.ts";
import { alone, slots, storyOf, together } from "./holds/draw.ts";
import { type Mistake, MISTAKES, MISTAKES_WITH_SLOTS } from "./holds/mistakes.ts";
import { type Open, type Tally, tell } from "./holds/tell.ts";

/*
 * Stories of holds: reserved, settled below, at and above the reservation, released, settled twice, at once and late, with calls
 * that are lost before or after they ran, while the clock moves to every edge and back, and the policies change. An account of
 * the real events says at each call how much a policy may admit, must admit, and must give back.
 */

const inMemory: Open = (now) => memoryStore({ now });

const rest = restClient({ url: inject("redisRestUrl"), token: inject("redisRestToken") }, 30_000);
const inRedis: Open = (now) => {
  const client = clientWithClock((...asked) => rest.eval(...asked), now);
  return { ...redisStore(client, ALL_SCRIPTS), now };
};

const DRAWS = [
  ...ALGORITHMS.map((algorithm) => ({ name: `${algorithm} alone`, policies: alone(algorithm) })),
  { name: "several policies together", policies: together },
];

const USUAL = ["allowed", "denied", "settled", "unknown", "returned"];
const RARE = ["not-sent", "charged", "extended", "expired"];

function expectAll(events: readonly string[], tally: Tally, least: number): void {
  for (const event of events) expect(tally[event], event).toBeGreaterThan(least);
}

describe.each(DRAWS)("$name", ({ policies }) => {
  test("holds keep the promise of each policy, and lose no unit, in memory", async () => {
    const tally: Tally = {};
    await fc.assert(
      fc.asyncProperty(storyOf(policies), (story) => tell(story, inMemory, tally)),
      { numRuns: runs(1_000) },
    );
    expectAll(IS_WHOLE ? [...USUAL, ...RARE] : USUAL, tally, least(0.005 * runs(1_000)));
  });
});

test("holds keep the promise of each policy, and lose no unit, in Redis over HTTP", async () => {
  const tally: Tally = {};
  // Keys expire by Redis's own clock, and a busy machine stands still for a tenth of a second.
  const policies = fc
    .oneof(...DRAWS.map((draw) => draw.policies))
    .filter((drawn) => drawn.every(({ windowMs }) => windowMs >= 1_000));
  await fc.assert(
    fc.asyncProperty(storyOf(policies), (story) => tell(story, inRedis, tally)),
    { numRuns: runs(150) },
  );
  expectAll(USUAL, tally, 0);
});

/** The faults that the accounts report. */
const BROKEN = /^Error: .*(?:gives back|admits|denies|held|slot)/;

/** Which promise some story sees broken by a mistaken store. */
async function found(policies: (typeof DRAWS)[number]["policies"], mistake: Mistake) {
  const open: Open = (now) => mistake(memoryStore({ now }));
  const story = fc.asyncProperty(storyOf(policies), (drawn) => tell(drawn, open, {}));
  const { errorInstance } = await fc.check(story, { numRuns: 4_000, endOnFailure: true });
  return String(errorInstance);
}

describe.each(DRAWS)("a mistake in a store of $name", ({ policies }) => {
  test.each(Object.entries(MISTAKES))("that %s is found", async (_, mistake) => {
    expect(await found(policies, mistake)).toMatch(BROKEN);
  });
});

test.each(Object.entries(MISTAKES_WITH_SLOTS))(
  "a mistake in a store of slots, that %s, is found",
  async (_, mistake) => {
    const beside = fc
      .tuple(alone("fixed-window"), slots)
      .map(([[window], some]) => [window!, some]);
    expect(await found(beside, mistake)).toMatch(BROKEN);
  },
);
