import { expect, test } from "vitest";

import { concurrency } from "../../src/algorithms/concurrency.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { compilePolicy } from "../support/compile-policy.ts";

const windowed = { limit: 30, window: "10s" } as const;

// Parameters and times in microseconds, the key's time as the script takes it (milliseconds; 0 where it follows from the state; a
// bucket's setting to base 36), the window in seconds.
test.for<
  [Policy, name: string, parameters: [number, number], ttl: number | string, window: number]
>([
  [
    tokenBucket({ limit: 20, refill: 10, per: "1s" }),
    "token-bucket-20-10-per-1s",
    [100_000, 1],
    "/335/k/255s",
    2,
  ],
  [
    tokenBucket({ limit: 20, refill: 7, per: "1s" }),
    "token-bucket-20-7-per-1s",
    [1_000_000, 7],
    "/4es/k/lfls/7",
    20 / 7,
  ],
  [
    slidingWindowLog(windowed),
    "sliding-window-log-30-10s",
    [10_000_000, 0],
    "0000009896800001e000000989680000000",
    10,
  ],
  [slidingWindowCounter(windowed), "sliding-window-counter-30-10s", [10_000_000, 1], 0, 10],
  [segmentedWindow(windowed), "segmented-window-30-10s", [1_000_000, 10], 0, 10],
  [segmentedWindow({ ...windowed, segments: 3 }), "segmented-window-30-10s", [3_333_334, 3], 0, 10],
  [fixedWindow(windowed), "fixed-window-30-10s", [10_000_000, 96], 0, 10],
  [concurrency({ limit: 30 }), "concurrency-30-60s", [60_000_000, 0], 0, 60],
  [concurrency({ limit: 30, ttl: "24h" }), "concurrency-30-24h", [86_400_000_000, 0], 0, 86_400],
])("%j comes to these numbers", ([policy, name, parameters, ttl, window]) => {
  const compiled = compilePolicy(policy);
  expect(compiled).toMatchObject({ name, onFailure: undefined });
  expect(compiled.scriptArguments).toEqual(
    [policy.algorithm, policy.limit, ...parameters, ttl].map(String),
  );
  expect(compiled.windowUs / 1e6).toBeCloseTo(window, 6);
  expect(compiled.field).toBe(`"${name}";q=${policy.limit};w=${Math.ceil(window)}`);
});

test("a policy that names itself keeps its name and its verdict", () => {
  const compiled = compilePolicy(fixedWindow({ ...windowed, name: "daily", onFailure: "open" }));
  expect(compiled).toMatchObject({ name: "daily", onFailure: "open" });
});
