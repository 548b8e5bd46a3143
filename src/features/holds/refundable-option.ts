import type { Refundable } from "../../algorithms/common-options.ts";
import { optionValue } from "../../options/option-value.ts";
import { holds } from "./holds-feature.ts";

/**
 * Has holds give back units that they reserved and did not use, see `reserve()`. Redis decides each denial of the policy, because
 * such units can end one early. Cannot be combined with a lease or `denials()`.
 *
 * @example
 * slidingWindowCounter({ name: "tokens", limit: 100_000, window: "1m", refundable: refundable() })
 */
export function refundable(): Refundable {
  return optionValue("refundable", { refundable: true }, { holds });
}
