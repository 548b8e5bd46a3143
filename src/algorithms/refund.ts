import { REFUNDS } from "./all.ts";
import type { Refund, RefundRequest } from "./model.ts";

/**
 * Gives back as `lua/refund.lua` does. No units come back without a state, or from a time to come. A slot of
 * `concurrency` comes back by its id instead. Importing this puts the refunds of all algorithms into the bundle.
 */
export function refund(algorithm: string, state: unknown, request: RefundRequest): Refund<unknown> {
  if (state === undefined || request.takenAtUs > request.nowUs) return { refunded: 0, state };
  return REFUNDS[algorithm as keyof typeof REFUNDS](state as never, request as never);
}
