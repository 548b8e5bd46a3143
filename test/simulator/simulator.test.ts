import { writeSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import { IS_WHOLE, runs } from "../support/runs.ts";
import type { Statistics } from "./invariants/invariant.ts";
import { run } from "./run.ts";
import { drawScenario } from "./scenario/scenario.ts";
import { explain } from "./story.ts";

/** A few seconds' worth. */
const SEEDS = IS_WHOLE ? runs(2_000) : 80;

/** A soak draws other ones each round. */
const FIRST = 1 + Number(process.env["TEST_SEED"] ?? 0);

/** One seed alone, told at length: to the terminal itself, because a test that passes is not listened to. */
const SEED = process.env["SIMULATOR_SEED"];

/** Meets every kind of event many times over; fewer seeds may miss one. */
const ENOUGH = 1_000;

if (SEED === undefined) {
  describe("isolates, a network and a Redis that fail in every way", () => {
    test(`hold every invariant over ${SEEDS} seeds`, { timeout: 60_000 + SEEDS * 20 }, async () => {
      const statistics: Statistics = new Map();
      for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
        const violation = await run(drawScenario(seed), { statistics });
        if (violation) throw new Error(await explain(seed, violation));
        expect(violation).toBeUndefined();
      }
      if (SEEDS >= ENOUGH) expectEverything(statistics);
    });

    test("the same seed is the same story, event by event", async () => {
      for (const seed of [1, 2, 3]) {
        const [first, second]: string[][] = [[], []];
        for (const lines of [first!, second!]) {
          await run(drawScenario(seed), { trace: (line) => lines.push(line()) });
        }
        expect(first!.length).toBeGreaterThan(100);
        expect(second).toEqual(first);
      }
    });
  });
} else {
  test(`seed ${SEED}`, { timeout: 60_000 }, async () => {
    const seed = Number(SEED);
    const trace = (line: () => string) => writeSync(1, `${line()}\n`);
    const violation = await run(drawScenario(seed), { trace });
    if (violation) throw new Error(await explain(seed, violation));
    expect(violation).toBeUndefined();
  });
}

/** A run that meets none of something proves nothing about it. */
function expectEverything(statistics: Statistics): void {
  const seldom = [
    "call",
    "knock",
    "weather",
    "restart",
    "failover",
    "clock-step",
    "isolate-step",
    "eviction",
    "hang",
    "script-flush",
    "dialect",
    "probe",
    "reset",
    ...Object.keys(IMPLEMENTATIONS),
    "allowed",
    "limited",
    "cached-denial",
    "cost-exceeds-limit",
    "store-unavailable",
    "ERR_STORE_TIMEOUT",
    "ERR_STORE_UNREACHABLE",
    "ERR_STORE_UNAUTHORIZED",
    "ERR_STORE_REFUSED",
    "ERR_STORE_REPLY",
    "ERR_STORE_SUSPENDED",
    "true denial",
    "wrong denial with an excuse",
    "counted on from the store's",
    "denial after a step that a pause hid",
    "denied by another call's answer",
    "waited in vain",
    "settled",
    "unknown",
    "give-back",
    "give-back of an isolate",
  ].filter((what) => (statistics.get(what) ?? 0) < 100);
  expect(seldom).toEqual([]);
}
