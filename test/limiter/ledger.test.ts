import { describe, expect, test } from "vitest";

import { mastersInMemory } from "../support/limiter/ledger/masters.ts";
import { type Tally, tell } from "../support/limiter/ledger/story.ts";
import { runs } from "../support/runs.ts";

/*
 * A ledger of who took and gave what. Clients of several isolates limit, reserve, settle, release, extend, answer, charge and
 * look, under changing plans, while calls of the masters are lost, late, refused or not sent. The ledger counts each key by its
 * own arithmetic, and knows no model of the product. It says what has to come of each call, and what the limiter must and must
 * not do after it.
 */

/** What has to happen in stories so that they show something. */
const EVENTS = {
  reason: ["allowed", "limited", "cached-denial", "store-unavailable", "cost-exceeds-limit"],
  settlement: ["settled", "unknown", "not-sent"],
  extension: ["extended", "expired", "unknown"],
  fate: ["answered", "unanswered", "lost", "late", "refused", "not sent"],
};

describe.each([1, 3] as const)("over %i masters in memory", (count) => {
  test("each unit is taken, charged and given back as often as it must be", async () => {
    const tally: Tally = {};
    const stories = runs(1_000);
    for (let seed = 1; seed <= stories; seed++) await tell(seed, mastersInMemory(count), tally);
    for (const [kind, events] of Object.entries(EVENTS)) {
      for (const event of events) {
        // On a Cluster, denials of several dimensions are not known.
        expect(tally[`${kind} ${event}`], `${kind} ${event}`).toBeGreaterThan(0.05 * stories);
      }
    }
  });
});
