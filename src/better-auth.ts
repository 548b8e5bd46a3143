/**
 * Stores the rate limits of better-auth in any Redis: `import { tidegateStorage } from "tidegate/better-auth"`.
 *
 * @module
 */

import { fixedWindow } from "./algorithms/fixed-window.ts";
import { countedVerdict, type DropInOptions, openCores } from "./dropins/open-cores.ts";
import { waitSeconds } from "./dropins/row-of.ts";
import type { Duration } from "./options/duration.ts";

/** The options of `tidegateStorage()`. */
export interface TidegateStorageOptions extends DropInOptions {}

/** The type that better-auth expects as `rateLimit.customStorage`. */
export interface RateLimitStorage {
  consume(
    key: string,
    rule: { readonly window: number; readonly max: number },
  ): Promise<{ allowed: boolean; retryAfter: number | null }>;
}

const NAME = "auth";

/**
 * Counts for better-auth: `consume` is one atomic call of Redis, and a client that this process knows to be denied
 * costs none. A window begins with the first request and is over `window` seconds later; a denied request is not
 * counted.
 *
 * @throws ConfigurationError with every fault; `consume` throws it if `max` is above 2^53 - 1 or `window` above 366 days
 * @example
 * betterAuth({
 *   rateLimit: { enabled: true, customStorage: tidegateStorage({ prefix: "auth" }) },
 * });
 */
export function tidegateStorage(options: TidegateStorageOptions = {}): RateLimitStorage {
  const cores = openCores(options, { features: {}, scripts: {} });

  return {
    async consume(key, { window, max }) {
      if (max < 1) return { allowed: false, retryAfter: Math.ceil(window) };
      const core = cores.of(`${window} ${max}`, () => [
        fixedWindow({ name: NAME, limit: max, window: durationOf(window), aligned: false }),
      ]);
      const verdict = countedVerdict(await core.ask("consume", key, {}));
      const allowed = verdict.status === 200;
      return { allowed, retryAfter: allowed ? null : waitSeconds(verdict) };
    },
  };
}

const durationOf = (seconds: number) => `${seconds}s` as Duration;
