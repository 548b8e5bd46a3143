/**
 * A storage for Nest's throttler: `import { TidegateThrottlerStorage } from "tidegate/nest-throttler"`.
 *
 * @module
 */

import { countHits, type HitCounter, THROTTLER_SCRIPTS } from "./dropins/count-hits.ts";
import { limitOf, microsecondsOf, secondsOf } from "./dropins/numbers.ts";
import { type DropInOptions, openDropIn } from "./dropins/open-drop-in.ts";
import { Faults } from "./options/faults.ts";

/** The options of a `TidegateThrottlerStorage`. */
export interface TidegateThrottlerStorageOptions extends DropInOptions {}

/** The record that the throttler's guard reads: times in seconds, rounded up. */
export interface ThrottlerRecord {
  readonly totalHits: number;
  readonly timeToExpire: number;
  readonly isBlocked: boolean;
  readonly timeToBlockExpire: number;
}

/**
 * Counts for `ThrottlerModule` of @nestjs/throttler in any Redis, in one call for each request and throttler; a client
 * that this process knows to be blocked costs no call. As in the throttler's own storage, a hit counts for `ttl`, the hit after
 * the limit blocks for `blockDuration`, and blocked hits are not counted.
 *
 * @throws ConfigurationError with every fault
 * @example
 * ThrottlerModule.forRoot({
 *   throttlers: [{ ttl: 60_000, limit: 100 }],
 *   storage: new TidegateThrottlerStorage({ redis: fromIoredis(redis), prefix: "api" }),
 * });
 */
export class TidegateThrottlerStorage {
  readonly #counter: HitCounter;

  constructor(options: TidegateThrottlerStorageOptions = {}) {
    this.#counter = countHits(openDropIn(options, THROTTLER_SCRIPTS, new Faults()));
  }

  /**
   * Counts a request, unless it is blocked.
   *
   * @param ttl how long the request counts, in milliseconds
   * @param blockDuration in milliseconds; 0 for no block: the client waits until the first of its requests no longer counts
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    const blockUs = microsecondsOf(blockDuration);
    // A hit is one too many if it makes more than 2.5; without a block, if 2.5 are there already.
    const most = limitOf(limit, blockUs > 0 ? Math.floor : Math.ceil, Infinity);
    // An application may give several throttlers the same key. The length keeps name and key apart.
    const named = `${String(throttlerName).length}|${throttlerName}|${key}`;
    const answer = await this.#counter.add(named, most, microsecondsOf(ttl), blockUs);
    const { allowed, remaining, retryAfterUs, resetAfterUs } = answer;
    return {
      // A denial that is remembered says what was left before it.
      totalHits: most - (allowed ? remaining : Math.min(remaining, -1)),
      timeToExpire: secondsOf(resetAfterUs),
      isBlocked: !allowed,
      timeToBlockExpire: allowed ? 0 : secondsOf(retryAfterUs),
    };
  }
}
