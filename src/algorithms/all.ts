import type { Implementation } from "./algorithm.ts";
import { countCalendarWindow, refundCalendarWindow } from "./calendar-window.ts";
import {
  countFixedWindow,
  FIXED_WINDOW,
  fixedWindowBytes,
  refundFixedWindow,
} from "./fixed-window.ts";
import type { AnyModel, Refund, RefundRequest } from "./model.ts";
import {
  countSegmentedWindow,
  refundSegmentedWindow,
  SEGMENTED_WINDOW,
  segmentedWindowBytes,
} from "./segmented-window.ts";
import {
  countSlidingWindowCounter,
  refundSlidingWindowCounter,
  SLIDING_WINDOW_COUNTER,
  slidingWindowCounterBytes,
} from "./sliding-window-counter.ts";
import {
  countSlidingWindowLog,
  refundSlidingWindowLog,
  SLIDING_WINDOW_LOG,
  slidingWindowLogBytes,
} from "./sliding-window-log.ts";
import {
  countTokenBucket,
  refundTokenBucket,
  TOKEN_BUCKET,
  tokenBucketBytes,
} from "./token-bucket.ts";

/**
 * Every algorithm that counts requests, in the order in which they are told to people, by its name, as data has it. `concurrency`
 * is not here: it counts holds, which only code can have. Importing this puts all of them into the bundle.
 */
export const IMPLEMENTATIONS = {
  "token-bucket": TOKEN_BUCKET,
  "sliding-window-log": SLIDING_WINDOW_LOG,
  "sliding-window-counter": SLIDING_WINDOW_COUNTER,
  "segmented-window": SEGMENTED_WINDOW,
  "fixed-window": FIXED_WINDOW,
} satisfies Readonly<Record<string, Implementation>>;

/** How a store in memory counts by each algorithm. Apart, so that a bundle without such a store has none of the models. */
export const MODELS = {
  "token-bucket": countTokenBucket,
  "sliding-window-log": countSlidingWindowLog,
  "sliding-window-counter": countSlidingWindowCounter,
  "segmented-window": countSegmentedWindow,
  "fixed-window": countFixedWindow,
  "calendar-window": countCalendarWindow,
} as unknown as Readonly<Record<string, AnyModel>>;

/** How each gives back in memory. */
export const REFUNDS: Readonly<
  Record<
    keyof typeof IMPLEMENTATIONS | "calendar-window",
    (state: never, request: never) => Refund<unknown>
  >
> = {
  "token-bucket": refundTokenBucket,
  "sliding-window-log": refundSlidingWindowLog,
  "sliding-window-counter": refundSlidingWindowCounter,
  "segmented-window": refundSegmentedWindow,
  "fixed-window": refundFixedWindow,
  "calendar-window": refundCalendarWindow,
};

/** How large the state of each becomes in Redis, by the limit. Apart, because only the doctor needs it. */
export const STATE_BYTES: Readonly<
  Record<keyof typeof IMPLEMENTATIONS, (limit: number) => number>
> = {
  "token-bucket": tokenBucketBytes,
  "sliding-window-log": slidingWindowLogBytes,
  "sliding-window-counter": slidingWindowCounterBytes,
  "segmented-window": segmentedWindowBytes,
  "fixed-window": fixedWindowBytes,
};

/**
 * Gives back as `lua/refund.lua` does. No units come back without a state, or from a time to come. A slot of
 * `concurrency` comes back by its id instead. Importing this puts the refunds of all algorithms into the bundle.
 */
export function refund(algorithm: string, state: unknown, request: RefundRequest): Refund<unknown> {
  if (state === undefined || request.takenAtUs > request.nowUs) return { refunded: 0, state };
  return REFUNDS[algorithm as keyof typeof REFUNDS](state as never, request as never);
}
