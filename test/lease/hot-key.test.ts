import { describe, expect, test } from "vitest";

import { replayHotKey } from "../../scripts/bench/lease/replay.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { excessOf } from "../support/lease/excess.ts";

/** Policies of so many units per second. */
const policies: [algorithm: string, policyOf: (rate: number) => Policy][] = [
  ["token-bucket", (rate) => tokenBucket({ limit: rate, refill: rate, per: "1s" })],
  ["fixed-window", (rate) => fixedWindow({ limit: rate, window: "1s" })],
  ["sliding-window-log", (rate) => slidingWindowLog({ limit: 10 * rate, window: "10s" })],
];

describe.each(policies)("a hot %s", (_algorithm, policyOf) => {
  test.for([
    [0.9, 1],
    [0.9, 4],
    [1.2, 1],
    [1.2, 4],
    [5, 1],
    [5, 4],
  ] as const)("at %d times its limit, %i isolates", async ([load, isolates]) => {
    const rate = Math.round((1_000 * isolates) / load);
    const policy = policyOf(rate);
    const { decisions, calls, admitted, seconds, admissions } = await replayHotKey({
      policy,
      lease: 100_000,
      isolates,
      perIsolate: 1_000,
      seconds: 20,
    });
    expect(calls / decisions).toBeLessThanOrEqual(0.05);
    expect(admitted / Math.min(decisions, rate * seconds)).toBeGreaterThanOrEqual(0.98);
    expect(excessOf(policy, admissions)).toBeLessThanOrEqual(0);
  });
});
