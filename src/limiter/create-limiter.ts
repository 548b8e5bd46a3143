import type { Limiter } from "../decide/limiter.ts";
import { Faults } from "../options/faults.ts";
import { EVERY_FEATURE } from "./every-feature.ts";
import { openWithLists } from "./open-with-lists.ts";
import type { CreateLimiterOptions } from "./options.ts";
import { withoutRequestOptions } from "./request-options.ts";

/**
 * Makes a limiter of one or more policies that are always decided together. It has every feature; `limiterWith()` of
 * `tidegate/core` makes one with those that you import.
 *
 * @throws ConfigurationError with every fault in the options
 * @example
 * const limiter = createLimiter({
 *   redis: { url: "https://....upstash.io", token: "..." },
 *   policies: [slidingWindowLog({ name: "login", limit: 5, window: "10s" })],
 * });
 * const decision = await limiter.limit("user:42");
 */
export function createLimiter(options: CreateLimiterOptions): Limiter {
  const faults = new Faults();
  return openWithLists(withoutRequestOptions(options, faults), EVERY_FEATURE, faults);
}
