import { expect, test } from "vitest";

import { EVERY_ALGORITHM } from "../../support/algorithms/all.ts";
import { IS_WHOLE, least, runs } from "../../support/runs.ts";
import { testRedis } from "../../support/test-redis.ts";
import { type Cell, drawStory } from "./draw-story.ts";
import { play } from "./play.ts";

/*
 * Isolates of several regions over many stories: with several policies and dimensions, plans, changed limits, resets, charges, holds,
 * notices and policies that never deny; with lost, late and repeated calls, dead isolates, and regions and homes that forget, give no
 * answer, or whose clock drifts and is set. The books know what home took and what passed, and nothing of how regions work.
 */

/** Stories of each cell. A soak draws other ones each round. A tenth of them would take a quarter of the time of `npm test`. */
const STORIES = IS_WHOLE ? runs(100) : 3;

/** Stories that tell nothing of something prove nothing about it. */
const TOLD = [
  "limit reserve charge peek reset changed death repeated",
  "allowed limited region-denial cached-denial store-unavailable",
  "nearby waited by-home by-region by-alone given-back",
  "home-flushed home-clock-set region-flushed region-clock-set",
].flatMap((line) => line.split(" "));

/** Tells the stories of every algorithm. The two stores nearby have files of their own, which run side by side. */
export function testLedger({ hasObjects }: Pick<Cell, "hasObjects">): void {
  const redis = testRedis();
  const cells = EVERY_ALGORITHM.flatMap(({ algorithm }) =>
    [false, true].map((hasCredit) => ({ algorithm, hasCredit, hasObjects })),
  );

  test.each(cells)(
    "$algorithm, with credit: $hasCredit: no unit passes that home did not take, and none beyond a policy",
    { timeout: 60_000 + STORIES * 1_000 },
    async (cell) => {
      const all = new Map<string, number>();
      for (let seed = 1; seed <= STORIES; seed++) {
        const { books, counts } = await play(redis, drawStory(seed, cell));
        for (const [what, times] of counts) all.set(what, (all.get(what) ?? 0) + times);
        expect(books.faults(), `seed ${seed}`).toEqual([]);
      }
      const told = cell.hasCredit ? [...TOLD, "by-credit"] : TOLD;
      expect(told.filter((what) => (all.get(what) ?? 0) < least(4))).toEqual([]);
    },
  );
}
