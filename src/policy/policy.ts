import { FIXED_WINDOW } from "../algorithms/fixed-window.ts";
import { type Implementation, IMPLEMENTATION } from "../algorithms/implementation.ts";
import { SEGMENTED_WINDOW } from "../algorithms/segmented-window.ts";
import { SLIDING_WINDOW_COUNTER } from "../algorithms/sliding-window-counter.ts";
import { SLIDING_WINDOW_LOG } from "../algorithms/sliding-window-log.ts";
import { TOKEN_BUCKET } from "../algorithms/token-bucket.ts";
import type { Duration } from "../options/duration.ts";

/** What a policy answers while Redis gives no usable answer. */
export type FailureVerdict =
  /** Let the request pass. */
  | "open"
  /** Deny it with 503. */
  | "closed"
  /** Enforce the same policy in this isolate's memory. */
  | "local";

interface Common {
  /**
   * Names the policy in keys and headers: letters, digits, `.`, `_`, `-`, at most 64. Default: from the numbers.
   *
   * Policies of one name share one count for each identity, whichever limiter they are of, as long as these have one
   * Redis and one `prefix`. Without a name, so do all of equal numbers: give each its own where that is not meant.
   */
  readonly name?: string;
  /** Overrides the limiter's `onFailure` for this policy. */
  readonly onFailure?: FailureVerdict;
}

export interface TokenBucketOptions extends Common {
  /** Size of the bucket, the largest burst: 1 to 1,000,000,000 units. */
  readonly limit: number;
  /** Units that flow back every `per`. */
  readonly refill: number;
  readonly per: Duration;
}

export interface WindowOptions extends Common {
  /** Units per window: 1 to 1,000,000,000; for the log at most 100,000. */
  readonly limit: number;
  /** Length of the window: 1 ms to 366 days. */
  readonly window: Duration;
}

export interface SegmentedWindowOptions extends WindowOptions {
  /** Into how many segments the window is cut, 1 to 60; of k, at least k/(k+1) of the limit is usable. Default 10. */
  readonly segments?: number;
}

/** A limit and how it is counted; made by one of the builders below. */
export type Policy = { readonly [IMPLEMENTATION]: Implementation } & (
  | ({ readonly algorithm: "token-bucket" } & TokenBucketOptions)
  | ({ readonly algorithm: "sliding-window-log" } & WindowOptions)
  | ({ readonly algorithm: "sliding-window-counter" } & WindowOptions)
  | ({ readonly algorithm: "segmented-window" } & SegmentedWindowOptions)
  | ({ readonly algorithm: "fixed-window" } & WindowOptions)
);

export type Algorithm = Policy["algorithm"];

/*
 * The builders only bring the algorithm along. What is wrong with a policy is said when a limiter is made of it, together
 * with everything else that is wrong.
 */

/**
 * A bucket of `limit` units that refills continuously (GCRA): a burst of `limit`, then the refill rate. In any span
 * of time w it admits at most `limit + rate * w`. One number in Redis.
 *
 * @example
 * tokenBucket({ limit: 20, refill: 10, per: "1s" })
 */
export function tokenBucket(options: TokenBucketOptions): Policy {
  return { ...options, algorithm: "token-bucket", [IMPLEMENTATION]: TOKEN_BUCKET };
}

/**
 * The time of every unit, kept for one window: never more than `limit` in any trailing window, and each unit comes
 * back exactly one window after it was taken. 7 bytes per unit in Redis.
 *
 * @example
 * slidingWindowLog({ limit: 5, window: "10s" })
 */
export function slidingWindowLog(options: WindowOptions): Policy {
  return { ...options, algorithm: "sliding-window-log", [IMPLEMENTATION]: SLIDING_WINDOW_LOG };
}

/**
 * The count of the current window plus the weighted count of the previous one. Near exact on average; the worst
 * trailing window can hold twice the limit. Two counts in Redis.
 *
 * @example
 * slidingWindowCounter({ limit: 30, window: "10s" })
 */
export function slidingWindowCounter(options: WindowOptions): Policy {
  return {
    ...options,
    algorithm: "sliding-window-counter",
    [IMPLEMENTATION]: SLIDING_WINDOW_COUNTER,
  };
}

/**
 * One count per segment of the window, summed unweighted: never more than `limit` in any trailing window, with at
 * least k/(k+1) of the limit usable for k segments. A unit comes back with its segment: up to one segment after the window.
 * k+1 small counts in Redis.
 *
 * @example
 * segmentedWindow({ limit: 6, window: "60s", segments: 10 })
 */
export function segmentedWindow(options: SegmentedWindowOptions): Policy {
  return { ...options, algorithm: "segmented-window", [IMPLEMENTATION]: SEGMENTED_WINDOW };
}

/**
 * One count per window on a grid of the clock (a window of `1d` is a UTC day). The cheapest; around a boundary up to
 * twice the limit passes.
 *
 * @example
 * fixedWindow({ limit: 1000, window: "1d" })
 */
export function fixedWindow(options: WindowOptions): Policy {
  return { ...options, algorithm: "fixed-window", [IMPLEMENTATION]: FIXED_WINDOW };
}
