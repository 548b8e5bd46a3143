import { Faults } from "../options/faults.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { openStore } from "../store/open-store.ts";
import type { Limiter } from "./limiter.ts";
import { openLimiter } from "./open-limiter.ts";
import { checkSettings, givenOptions, LIMITER_OPTIONS, type LimiterOptions } from "./settings.ts";
import { reportUnnamedTwins } from "./unnamed-twins.ts";

/**
 * A limiter of one or more policies that are always decided together. Everything that can be wrong with the options is
 * said here, at once.
 *
 * @throws ConfigurationError with every fault
 * @example
 * const limiter = createLimiter({
 *   redis: { url: "https://....upstash.io", token: "..." },
 *   policies: [slidingWindowLog({ name: "login", limit: 5, window: "10s" })],
 * });
 * const decision = await limiter.limit("user:42");
 */
export function createLimiter(given: LimiterOptions): Limiter {
  const faults = new Faults();
  const options = givenOptions(given, LIMITER_OPTIONS, faults);
  const settings = checkSettings(options, faults);
  const store = openStore(options, readEnvironment(), faults);
  faults.throwIfAny();
  reportUnnamedTwins(options, settings);
  return openLimiter(store!, settings);
}
