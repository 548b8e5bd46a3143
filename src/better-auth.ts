/**
 * Stores the rate limits of better-auth in any Redis: `import { tidegateStorage } from "tidegate/better-auth"`.
 *
 * @module
 */

import { COUNTER_SCRIPTS, countPoints } from "./dropins/count-points.ts";
import { limitOf, microsecondsOf, secondsOf } from "./dropins/numbers.ts";
import { type DropInOptions, openDropIn } from "./dropins/open-drop-in.ts";
import { Faults } from "./options/faults.ts";

/** The options of `tidegateStorage()`. */
export interface TidegateStorageOptions extends DropInOptions {}

/** The type that better-auth expects as `rateLimit.customStorage`. */
export interface RateLimitStorage {
  consume(
    key: string,
    rule: { readonly window: number; readonly max: number },
  ): Promise<{ allowed: boolean; retryAfter: number | null }>;
}

/** That of better-auth, in seconds, for a rule that code without types has made. */
const DEFAULT_WINDOW = 10;

/**
 * Counts for better-auth: `consume` is one atomic call of Redis, and a client that this process knows to be denied
 * costs none. A window begins with the first request and is over `window` seconds later; a denied request is not
 * counted.
 *
 * @throws ConfigurationError with every fault
 * @example
 * betterAuth({
 *   rateLimit: { enabled: true, customStorage: tidegateStorage({ prefix: "auth" }) },
 * });
 */
export function tidegateStorage(options: TidegateStorageOptions = {}): RateLimitStorage {
  const counter = countPoints(openDropIn(options, COUNTER_SCRIPTS, new Faults()), "auth");

  return {
    async consume(key, { window, max }) {
      const windowUs = microsecondsOf((window ?? DEFAULT_WINDOW) * 1000);
      const limit = limitOf(max, Math.floor, 0);
      if (limit < 1) return { allowed: false, retryAfter: secondsOf(windowUs) };
      const { allowed, retryAfterUs } = await counter.consume(key, limit, windowUs);
      return { allowed, retryAfter: allowed ? null : secondsOf(retryAfterUs) };
    },
  };
}
