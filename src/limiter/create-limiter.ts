import { Faults } from "../options/faults.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { readEnvironment } from "../runtime/environment.ts";
import type { Limiter } from "./limiter.ts";
import { openLimiter } from "./open-limiter.ts";
import { LIMITER_OPTIONS, type LimiterOptions } from "./options.ts";
import { withoutRequestOptions } from "./request-options.ts";

/**
 * Makes a limiter of one or more policies that are always decided together.
 *
 * @throws ConfigurationError with every fault in the options
 * @example
 * const limiter = createLimiter({
 *   redis: { url: "https://....upstash.io", token: "..." },
 *   policies: [slidingWindowLog({ name: "login", limit: 5, window: "10s" })],
 * });
 * const decision = await limiter.limit("user:42");
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const faults = new Faults();
  const own = withoutRequestOptions(options, faults);
  return openLimiter(checkedOptions(own, LIMITER_OPTIONS, faults), readEnvironment(), faults);
}
