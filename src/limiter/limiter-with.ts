import { Faults } from "../options/faults.ts";
import { checkFeatures, type Features } from "./features.ts";
import type { LimiterOf } from "./limiter.ts";
import { openWithLists } from "./open-with-lists.ts";
import type { CreateLimiterOptions } from "./options.ts";
import { withoutRequestOptions } from "./request-options.ts";

/**
 * Makes a `createLimiter()` that has these features and no others, so that a bundle contains what it uses. Without
 * `holds`, a limiter has no `reserve()`.
 *
 * @returns a function that throws a ConfigurationError with every fault in its options, also for an option whose feature is
 * missing
 * @example
 * import { leases, limiterWith, tokenBucket } from "tidegate/core";
 *
 * const createLimiter = limiterWith({ leases });
 * const limiter = createLimiter({
 *   policies: [tokenBucket({ limit: 400, refill: 400, per: "1s" })],
 *   lease: "100ms",
 * });
 */
export function limiterWith<const Has extends Features>(
  features: Has,
): (options: CreateLimiterOptions) => LimiterOf<Has> {
  return function createLimiter(options) {
    const faults = new Faults();
    const own = withoutRequestOptions(options, faults);
    checkFeatures(own, features, faults);
    return openWithLists(own, features, faults);
  };
}
