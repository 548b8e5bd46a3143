import { describe, expect, test } from "vitest";

import { runs } from "../support/runs.ts";
import { mastersInMemory } from "./ledger/masters.ts";
import { MISTAKES, mistakenMaster } from "./ledger/mistakes.ts";
import { tell } from "./ledger/story.ts";
import type { Tally } from "./ledger/world.ts";

/*
 * A ledger of takers and givers. Clients of several isolates limit, reserve, settle, release, extend, answer, charge and look,
 * under changing plans, while calls of the masters are lost, late, refused or not sent. The ledger counts each key by its own
 * arithmetic, and knows no model of the product. It states the result that each call must have, and the limiter's duties after
 * it.
 */

/** The events that stories must contain to show something. */
const EVENTS = [
  ...["allowed", "limited", "store-unavailable"].map((reason) => `limit ${reason}`),
  ...["allowed", "limited", "cached-denial", "store-unavailable"].map(
    (reason) => `reserve ${reason}`,
  ),
  ...["allowed", "limited"].map((reason) => `peek ${reason}`),
  ...["settled", "unknown", "not-sent"].map((status) => `settle ${status}`),
  ...["extended", "expired", "unknown"].map((status) => `extend ${status}`),
  ...["answered", "unanswered", "lost", "late", "refused", "not sent"].map(
    (fate) => `call ${fate}`,
  ),
  "charge limited",
  "respond",
  "respond after a hang-up",
];

describe.each([1, 3] as const)("over %i masters in memory", (count) => {
  test("each unit is taken, charged and given back as often as it must be", async () => {
    const tally: Tally = {};
    const stories = runs(700);
    for (let seed = 1; seed <= stories; seed++) await tell(seed, mastersInMemory(count), tally);
    for (const event of EVENTS) {
      expect(tally[event] ?? 0, event).toBeGreaterThan(0.01 * stories - 1);
    }
  });
});

test.each(Object.entries(MISTAKES))("a store that %s is found", async (_, mistake) => {
  const stories = async () => {
    for (let seed = 1; seed <= 500; seed++) await tell(seed, mistakenMaster(mistake), {});
  };
  await expect(stories()).rejects.toThrow(/^seed \d+: .*(?:leaves|back|extends|admits|slot)/);
});
