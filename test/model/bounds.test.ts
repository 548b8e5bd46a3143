import { describe, expect, test } from "vitest";

import { type Policy, segmentedWindow } from "../../src/index.ts";
import { EVERY_ALGORITHM, factsOf, WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Admission, fullestWindow } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { IS_WHOLE, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * An adversary that knows the algorithms: it waits for the edges (of windows, of segments, of the waits that it was told), comes
 * a microsecond early, on time or late, and takes as much as it can get. The models stand for the Lua scripts, which
 * test/lua/model.test.ts holds equal to them.
 */

const START = 1_800_000_000_000_000;

function attack(policy: Policy, admissionsWanted: number, seed: number): readonly Admission[] {
  const compiled = compilePolicy(policy);
  const { limit, windowUs, parameters } = compiled;
  const next = random(seed);
  const length = Math.round(windowUs);
  const edges = [
    length,
    length / 2,
    ...[1, 2].map((n) => n * (parameters["lengthUs"] ?? 0)).filter(Boolean),
  ];
  const admissions: Admission[] = [];
  const counted = counterAt(START + Math.floor(next() * length));
  while (admissions.length < admissionsWanted) {
    const cost = next() < 0.7 ? 1 : 1 + Math.floor(next() * limit);
    const outcome = counted.ask(compiled, "consume", cost);
    if (outcome.allowed) admissions.push({ time: counted.now, units: cost });
    if (outcome.allowed && next() < 0.6) continue;
    const choice = next();
    if (choice < 0.45) {
      counted.now += Math.max(0, outcome.retryAfterUs - 1 + Math.floor(next() * 3));
    } else if (choice < 0.75) {
      const edge = Math.round(edges[Math.floor(next() * edges.length)]!);
      counted.now += Math.max(0, edge - (counted.now % edge) - 1 + Math.floor(next() * 3));
    } else counted.now += Math.floor(next() * length * (choice < 0.95 ? 0.3 : 3));
  }
  return admissions;
}

/** Admissions per policy; together more than a million. */
const EACH = runs(105_000);

test.for(EVERY_ALGORITHM.flatMap(({ attacked }) => attacked))(
  "$algorithm of $limit keeps its promise under attack: $window $segments $refill $per",
  (policy) => {
    const { most, excessOf } = factsOf(policy.algorithm);
    const compiled = compilePolicy(policy);
    const admissions = attack(policy, EACH, 1);
    const excess = excessOf(compiled, admissions);
    expect(excess).toBeLessThanOrEqual(0);
    const { limit, windowUs } = compiled;
    if (most && most(limit) > limit) {
      const fullest = fullestWindow(admissions, Math.round(windowUs));
      expect(fullest).toBeGreaterThan(limit);
      expect(fullest).toBeLessThanOrEqual(most(limit));
    } else {
      // Reached, and never passed.
      expect(excess).toBeGreaterThan(-1);
    }
  },
);

test.for(WINDOWS)(
  "$algorithm: the worst window holds exactly the units that the documentation admits",
  ({ of, most }) => {
    const compiled = compilePolicy(of(50, "1s"));
    const { limit, windowUs } = compiled;
    const length = Math.round(windowUs);
    // The whole limit in the last microsecond of a window, then each unit the moment it may.
    const counted = counterAt(START - (START % length) + length - 1);
    const admissions: Admission[] = [];
    while (admissions.length < 4 * limit) {
      const outcome = counted.ask(compiled, "consume");
      if (outcome.allowed) admissions.push({ time: counted.now, units: 1 });
      else counted.now += outcome.retryAfterUs;
    }
    expect(fullestWindow(admissions, length)).toBe(most(limit));
  },
);

/** Windows under pressure. */
const PERIODS = IS_WHOLE ? 500 : 100;

describe("the share of the limit that stays usable under pressure", () => {
  /** Units per window where a client asks for one unit the moment it may. */
  function throughput(policy: Policy): number {
    const compiled = compilePolicy(policy);
    const { limit, windowUs } = compiled;
    const counted = counterAt(START);
    let admitted = 0;
    const length = Math.round(windowUs);
    while (counted.now < START + PERIODS * length) {
      const outcome = counted.ask(compiled, "consume");
      if (outcome.allowed) admitted++;
      counted.now += Math.max(outcome.retryAfterUs, Math.floor(length / limit / 3));
    }
    return admitted / PERIODS / limit;
  }

  test.for([1, 2, 5, 10, 60])("segmented-window with %i segments: at least k/(k+1)", (segments) => {
    const share = throughput(segmentedWindow({ limit: 240, window: "10s", segments }));
    expect(share).toBeGreaterThanOrEqual(segments / (segments + 1) - 0.005);
  });

  // Segments lose up to one of them.
  test.for(EVERY_ALGORITHM.filter(({ algorithm }) => algorithm !== "segmented-window"))(
    "$algorithm: all of it",
    ({ of }) => {
      expect(throughput(of(240, "10s"))).toBeGreaterThan(0.99);
    },
  );
});
