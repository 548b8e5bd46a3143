import { describe, expect, test } from "vitest";

import { replayHotKey } from "../../bench/benchmark/lease/replay.ts";
import { excessOf } from "../support/lease/excess.ts";
import {
  fixedWindow,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { some } from "../support/runs.ts";

const LOADS = [0.9, 1.2, 5] as const;

/** Policies by their units per second, and the allowed cost of each load: calls per hundred decisions. */
const policies: [
  algorithm: string,
  policyOf: (rate: number) => Policy,
  calls: Record<(typeof LOADS)[number], number>,
][] = [
  [
    "token-bucket",
    (rate) => tokenBucket({ limit: rate, refill: rate, per: "1s" }),
    { 0.9: 2.8, 1.2: 3.3, 5: 4.1 },
  ],
  [
    "fixed-window",
    (rate) => fixedWindow({ limit: rate, window: "1s" }),
    // A lease of a tenth of the window. At five times its limit, a tenth of the limit is spent in two round trips.
    { 0.9: 4.8, 1.2: 2.6, 5: 6 },
  ],
  [
    "sliding-window-log",
    (rate) => slidingWindowLog({ limit: 10 * rate, window: "10s" }),
    { 0.9: 2.8, 1.2: 2.4, 5: 1.4 },
  ],
];

const cells = LOADS.flatMap((load) => [1, 4].map((isolates) => [load, isolates] as const));

describe.each(policies)("a hot %s", (_algorithm, policyOf, mostCalls) => {
  test.for(some(cells))("at %d times its limit, %i isolates", async ([load, isolates]) => {
    const rate = Math.round((1_000 * isolates) / load);
    const policy = policyOf(rate);
    const { decisions, calls, admitted, seconds, admissions } = await replayHotKey({
      policy,
      lease: 100_000,
      isolates,
      perIsolate: 1_000,
      seconds: 20,
    });
    expect(calls / decisions).toBeLessThanOrEqual(mostCalls[load] / 100);
    expect(admitted / Math.min(decisions, rate * seconds)).toBeGreaterThanOrEqual(0.98);
    expect(excessOf(policy, admissions)).toBeLessThanOrEqual(0);
  });
});

test("a fixed window that ends full, with leased units, is followed by leases", async () => {
  const policy = fixedWindow({ limit: 1_111, window: "1s" });
  const scene = { lease: 100_000, isolates: 1, perIsolate: 1_000, seconds: 50 };
  const { decisions, calls } = await replayHotKey({ policy, ...scene });
  expect(calls / decisions).toBeLessThanOrEqual(0.06);
});
