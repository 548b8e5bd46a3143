import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Duration } from "../../src/options/duration.ts";
import { type Policy } from "../../src/policy/policy.ts";

/** A policy of each algorithm, all of so many units in this time. */
export function everyPolicy(limit: number, window: Duration): Policy[] {
  return [
    tokenBucket({ limit, refill: limit, per: window }),
    slidingWindowLog({ limit, window }),
    slidingWindowCounter({ limit, window }),
    segmentedWindow({ limit, window }),
    fixedWindow({ limit, window }),
  ];
}
