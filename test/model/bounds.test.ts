import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Admission, burstAboveRate, fullestWindow } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";

/*
 * An adversary that knows the algorithms: it waits for the edges (of windows, of segments, of what it was told to wait),
 * comes a microsecond early, on time or late, and takes as much as it can get. The models stand for the Lua scripts,
 * which test/lua/model.test.ts holds equal to them.
 */

const START = 1_800_000_000_000_000;

function attack(policy: Policy, admissionsWanted: number, seed: number): readonly Admission[] {
  const { implementation, limit, windowUs, parameters } = compilePolicy(policy);
  const model = implementation.model;
  const next = random(seed);
  const length = Math.round(windowUs);
  const edges = [
    length,
    length / 2,
    ...[1, 2].map((n) => n * (parameters["lengthUs"] ?? 0)).filter(Boolean),
  ];
  const admissions: Admission[] = [];
  let state: unknown;
  let now = START + Math.floor(next() * length);
  while (admissions.length < admissionsWanted) {
    const cost = next() < 0.7 ? 1 : 1 + Math.floor(next() * limit);
    const outcome = model(state, { nowUs: now, operation: "consume", cost, limit, parameters });
    ({ state } = outcome);
    if (outcome.allowed) admissions.push({ time: now, units: cost });
    if (outcome.allowed && next() < 0.6) continue;
    const choice = next();
    if (choice < 0.45) now += Math.max(0, outcome.retryAfterUs - 1 + Math.floor(next() * 3));
    else if (choice < 0.75) {
      const edge = Math.round(edges[Math.floor(next() * edges.length)]!);
      now += Math.max(0, edge - (now % edge) - 1 + Math.floor(next() * 3));
    } else now += Math.floor(next() * length * (choice < 0.95 ? 0.3 : 3));
  }
  return admissions;
}

/** Admissions per policy; together with the list below more than a million. */
const EACH = 105_000;

const strict: Policy[] = [
  slidingWindowLog({ limit: 5, window: "10s" }),
  slidingWindowLog({ limit: 37, window: "1.000003s" }),
  segmentedWindow({ limit: 6, window: "60s" }),
  segmentedWindow({ limit: 50, window: "1s", segments: 1 }),
  segmentedWindow({ limit: 50, window: "1.000001s", segments: 7 }),
  segmentedWindow({ limit: 20, window: "10s", segments: 60 }),
];

test.for(strict)("$algorithm of $limit per $window never holds more in any window", (policy) => {
  const { limit, windowUs } = compilePolicy(policy);
  const fullest = fullestWindow(attack(policy, EACH, 1), Math.round(windowUs));
  // Reached, and never passed.
  expect(fullest).toBe(limit);
});

test.for([
  tokenBucket({ limit: 20, refill: 10, per: "1s" }),
  tokenBucket({ limit: 7, refill: 3, per: "1s" }),
  tokenBucket({ limit: 100, refill: 999_983, per: "7m" }),
])("$algorithm of $limit never admits more than the limit and the rate in any span", (policy) => {
  const { limit, parameters } = compilePolicy(policy);
  const burst = burstAboveRate(
    attack(policy, EACH, 2),
    parameters["intervalUs"]!,
    parameters["divisor"]!,
  );
  expect(burst).toBeLessThanOrEqual(limit);
  expect(burst).toBeGreaterThan(limit - 1);
});

describe("the excess that the documentation admits", () => {
  const cases: [Policy, number][] = [
    [fixedWindow({ limit: 50, window: "1s" }), 100],
    // One short of twice, because the previous window's weight only reaches nothing as the window ends.
    [slidingWindowCounter({ limit: 50, window: "1s" }), 99],
  ];

  test.for(cases)("%o: exactly %i in the worst window", ([policy, worst]) => {
    const { implementation, limit, windowUs, parameters } = compilePolicy(policy);
    const length = Math.round(windowUs);
    // The whole limit in the last microsecond of a window, then each unit the moment it may.
    let now = START - (START % length) + length - 1;
    const admissions: Admission[] = [];
    let state: unknown;
    while (admissions.length < 4 * limit) {
      const outcome = implementation.model(state, {
        nowUs: now,
        operation: "consume",
        cost: 1,
        limit,
        parameters,
      });
      ({ state } = outcome);
      if (outcome.allowed) admissions.push({ time: now, units: 1 });
      else now += outcome.retryAfterUs;
    }
    expect(fullestWindow(admissions, length)).toBe(worst);
    expect(fullestWindow(attack(policy, EACH, 3), length)).toBeLessThanOrEqual(worst);
  });
});

describe("the share of the limit that stays usable under pressure", () => {
  /** Units per window where a client asks for one unit the moment it may. */
  function throughput(policy: Policy): number {
    const { implementation, limit, windowUs, parameters } = compilePolicy(policy);
    let state: unknown;
    let now = START;
    let admitted = 0;
    const length = Math.round(windowUs);
    while (now < START + 500 * length) {
      const outcome = implementation.model(state, {
        nowUs: now,
        operation: "consume",
        cost: 1,
        limit,
        parameters,
      });
      ({ state } = outcome);
      if (outcome.allowed) admitted++;
      now += Math.max(outcome.retryAfterUs, Math.floor(length / limit / 3));
    }
    return admitted / 500 / limit;
  }

  test.for([1, 2, 5, 10, 60])("segmented-window with %i segments: at least k/(k+1)", (segments) => {
    const share = throughput(segmentedWindow({ limit: 240, window: "10s", segments }));
    expect(share).toBeGreaterThanOrEqual(segments / (segments + 1) - 0.005);
  });

  test.for([
    slidingWindowLog({ limit: 240, window: "10s" }),
    slidingWindowCounter({ limit: 240, window: "10s" }),
    fixedWindow({ limit: 240, window: "10s" }),
    tokenBucket({ limit: 240, refill: 24, per: "1s" }),
  ])("$algorithm: all of it", (policy) => {
    expect(throughput(policy)).toBeGreaterThan(0.99);
  });
});
