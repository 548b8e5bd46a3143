import { Faults } from "../options/faults.ts";
import { DATABASES } from "../options/messages.ts";
import { stableHash } from "../runtime/stable-hash.ts";
import type { RedisClient } from "../store/redis/client.ts";
import { type Algorithm, type Duration, fixed, sliding } from "./upstash-algorithms.ts";
import type { LimitOptions, RatelimitConfig } from "./upstash-config.ts";
import { Ratelimit } from "./upstash-ratelimit.ts";
import type { RatelimitResponse } from "./upstash-response.ts";

/** The options of a `MultiRegionRatelimit`: those of a `Ratelimit`, but for dynamic limits. */
export interface MultiRegionRatelimitConfig extends Omit<
  RatelimitConfig,
  "redis" | "dynamicLimits"
> {
  /**
   * A client for each database, in the same order in every process. Where one is added or removed at the end, only the
   * identifiers that it gets or had begin anew.
   */
  readonly redis: readonly RedisClient[];
  /** The result of a static method of `MultiRegionRatelimit`. */
  readonly limiter: Algorithm;
}

/**
 * Several databases with one limit. Each identifier is counted by one of them, always the same, so that no more than the limit
 * passes: the class of @upstash/ratelimit lets every database admit it, and adds up afterwards.
 *
 * @throws ConfigurationError for an empty list of databases, and for what `Ratelimit` refuses
 * @example
 * const ratelimit = new MultiRegionRatelimit({
 *   redis: [new Redis(europe), new Redis(america)],
 *   limiter: MultiRegionRatelimit.slidingWindow(10, "10 s"),
 * });
 * const { success } = await ratelimit.limit("user:42");
 */
export class MultiRegionRatelimit {
  readonly #databases: readonly Ratelimit[];

  constructor({ redis, ...config }: MultiRegionRatelimitConfig) {
    const faults = new Faults();
    // The object may contain a token.
    if (!Array.isArray(redis) || redis.length === 0) faults.add("redis", typeof redis, DATABASES);
    faults.throwIfAny();
    this.#databases = redis.map((each) => new Ratelimit({ ...config, redis: each }));
  }

  /** As that of `Ratelimit`. */
  static fixedWindow(tokens: number, window: Duration): Algorithm {
    return fixed(tokens, window);
  }

  /** As that of `Ratelimit`. */
  static slidingWindow(tokens: number, window: Duration): Algorithm {
    return sliding(tokens, window);
  }

  /** As that of `Ratelimit`. */
  limit = (identifier: string, req?: LimitOptions): Promise<RatelimitResponse> =>
    this.#of(identifier).limit(identifier, req);

  /** As that of `Ratelimit`. */
  blockUntilReady = (identifier: string, timeout: number): Promise<RatelimitResponse> =>
    this.#of(identifier).blockUntilReady(identifier, timeout);

  /** As that of `Ratelimit`. */
  resetUsedTokens = (identifier: string): Promise<void> =>
    this.#of(identifier).resetUsedTokens(identifier);

  /** As that of `Ratelimit`. */
  getRemaining = (
    identifier: string,
  ): Promise<{ remaining: number; reset: number; limit: number }> =>
    this.#of(identifier).getRemaining(identifier);

  /** The database of an identifier, by rendezvous hashing: the one whose number gives the highest score with it. */
  #of(identifier: string): Ratelimit {
    let best = 0;
    let highest = -1;
    for (let i = 0; i < this.#databases.length; i++) {
      const score = stableHash(`${i}:${identifier}`);
      if (score <= highest) continue;
      best = i;
      highest = score;
    }
    return this.#databases[best]!;
  }
}
