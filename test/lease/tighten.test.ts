import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { tightenPolicy } from "../../src/policy/tighten.ts";
import { compilePolicy } from "../support/compile-policy.ts";

const tightened = (policy: Policy, lease = 100_000) => tightenPolicy(compilePolicy(policy), lease);

test("a token bucket is smaller by what comes back within a lease, rounded up", () => {
  expect(tightened(tokenBucket({ limit: 100, refill: 100, per: "1s" }))).toMatchObject({
    limit: 90,
    windowUs: 900_000,
    parameters: { intervalUs: 10_000, divisor: 1 },
    field: '"token-bucket-100-100-per-1s";q=90;w=1',
  });
  expect(tightened(tokenBucket({ limit: 100, refill: 101, per: "1s" })).limit).toBe(89);
  expect(tightened(tokenBucket({ limit: 100, refill: 1, per: "1h" })).limit).toBe(99);
});

test.for([
  slidingWindowLog({ name: "as-given", limit: 30, window: "2s" }),
  slidingWindowCounter({ name: "as-given", limit: 30, window: "2s" }),
  segmentedWindow({ name: "as-given", limit: 30, window: "2s", segments: 7 }),
])("$algorithm: what is meant with a window that is longer by a lease", (policy) => {
  expect(tightened(policy)).toEqual(compilePolicy({ ...policy, window: "2.1s" } as Policy));
});

test("a fixed window stays as it is", () => {
  const policy = fixedWindow({ limit: 30, window: "1s" });
  expect(tightened(policy)).toEqual(compilePolicy(policy));
});

describe("every algorithm", () => {
  test.for([
    tokenBucket({ limit: 1e9, refill: 1e9, per: "3s" }),
    slidingWindowLog({ limit: 100_000, window: "366d" }),
    slidingWindowCounter({ limit: 1e9, window: "366d" }),
    segmentedWindow({ limit: 1e9, window: "366d", segments: 60 }),
    fixedWindow({ limit: 1e9, window: "366d" }),
  ])("$algorithm with the largest numbers stays within what is counted exactly", (policy) => {
    const { limit, windowUs, scriptArguments } = tightened(policy, 1_000_000);
    // The last one of a bucket and of a log is the others, to another base.
    const numbers = scriptArguments.slice(1).filter((text) => !/^\/|^[\da-f]{35}$/.test(text));
    for (const number of [limit, ...numbers, Math.round(windowUs)]) {
      expect(Number.isSafeInteger(Number(number))).toBe(true);
    }
    expect(limit).toBeGreaterThan(0);
  });
});
