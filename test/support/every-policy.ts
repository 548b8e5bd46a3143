import type { Duration } from "../../src/options/duration.ts";
import {
  fixedWindow,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../src/policy/policy.ts";

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
