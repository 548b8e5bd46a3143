import type { ConcurrencyPolicy } from "../algorithms/concurrency.ts";
import type { FixedWindowPolicy } from "../algorithms/fixed-window.ts";
import type { SegmentedWindowPolicy } from "../algorithms/segmented-window.ts";
import type { SlidingWindowCounterPolicy } from "../algorithms/sliding-window-counter.ts";
import type { SlidingWindowLogPolicy } from "../algorithms/sliding-window-log.ts";
import type { TokenBucketPolicy } from "../algorithms/token-bucket.ts";

/** A limit and how it is counted, made by a builder such as `tokenBucket()`. */
export type Policy =
  | TokenBucketPolicy
  | SlidingWindowLogPolicy
  | SlidingWindowCounterPolicy
  | SegmentedWindowPolicy
  | FixedWindowPolicy
  | ConcurrencyPolicy;

/** The names of the algorithms. */
export type Algorithm = Policy["algorithm"];

/** The algorithms that count requests. `concurrency` counts holds, which only code can have: rules make none. */
export type CountingAlgorithm = Exclude<Algorithm, "concurrency">;
