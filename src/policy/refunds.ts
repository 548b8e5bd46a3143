import { refundFixedWindow } from "../algorithms/fixed-window-refund.ts";
import type { Refund, RefundRequest } from "../algorithms/model.ts";
import { refundSegmentedWindow } from "../algorithms/segmented-window-refund.ts";
import { refundSlidingWindowCounter } from "../algorithms/sliding-window-counter-refund.ts";
import { refundSlidingWindowLog } from "../algorithms/sliding-window-log-refund.ts";
import { refundTokenBucket } from "../algorithms/token-bucket-refund.ts";
import type { Algorithm, CountingAlgorithm } from "./policy.ts";

/** The refund of every algorithm, whose parameters and state only the algorithm itself looks into. */
const REFUNDS: Record<CountingAlgorithm, (state: never, request: never) => Refund<unknown>> = {
  "token-bucket": refundTokenBucket,
  "sliding-window-log": refundSlidingWindowLog,
  "sliding-window-counter": refundSlidingWindowCounter,
  "segmented-window": refundSegmentedWindow,
  "fixed-window": refundFixedWindow,
};

/**
 * Gives back as `lua/refund.lua` does. Nothing comes back where there is no state, or from a time to come. A
 * slot of `concurrency` comes back by its id instead. Importing this
 * puts the refunds of all algorithms into the bundle.
 */
export function refund(
  algorithm: Algorithm,
  state: unknown,
  request: RefundRequest,
): Refund<unknown> {
  if (state === undefined || request.takenAtUs > request.nowUs) return { given: 0, state };
  return REFUNDS[algorithm as CountingAlgorithm](state as never, request as never);
}
