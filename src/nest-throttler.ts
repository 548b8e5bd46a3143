/**
 * A storage for Nest's throttler: `import { TidegateThrottlerStorage } from "tidegate/nest-throttler"`.
 *
 * @module
 */

import { fixedWindow } from "./algorithms/fixed-window.ts";
import { DECIDE } from "./algorithms/scripts.generated.ts";
import { type Cores, countedVerdict, type DropInOptions, openCores } from "./dropins/open-cores.ts";
import { rowOf, secondsOf, waitSeconds } from "./dropins/row-of.ts";
import { roles } from "./features/roles/feature.ts";
import type { Duration } from "./options/duration.ts";

/** The options of a `TidegateThrottlerStorage`. */
export interface TidegateThrottlerStorageOptions extends DropInOptions {}

/** The record that the throttler's guard reads: times in seconds, rounded up. */
export interface ThrottlerRecord {
  readonly totalHits: number;
  readonly timeToExpire: number;
  readonly isBlocked: boolean;
  readonly timeToBlockExpire: number;
}

const HITS = "hits";
const BLOCK = "block";

/**
 * Counts for `ThrottlerModule` of @nestjs/throttler in any Redis, in one call for each request and throttler; a client
 * that this process knows to be blocked costs no call, unless the block is shorter than the window. A window begins
 * with the first request and is over `ttl` later. The request after the limit blocks for `blockDuration`; blocked
 * requests are not counted.
 *
 * @throws ConfigurationError with every fault; `increment` throws it for a `ttl` or `blockDuration` above 366 days, or
 * a limit above 2^53 - 1
 * @example
 * ThrottlerModule.forRoot({
 *   throttlers: [{ ttl: 60_000, limit: 100 }],
 *   storage: new TidegateThrottlerStorage({ redis: fromIoredis(redis), prefix: "api" }),
 * });
 */
export class TidegateThrottlerStorage {
  readonly #cores: Cores;

  constructor(options: TidegateThrottlerStorageOptions = {}) {
    this.#cores = openCores(options, { features: { roles }, scripts: { decide: DECIDE } });
  }

  /**
   * Counts a request, unless it is blocked.
   *
   * @param ttl of the window, in milliseconds
   * @param blockDuration in milliseconds; 0 for no block: the client waits for the rest of the window
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    _throttlerName: string,
  ): Promise<ThrottlerRecord> {
    if (limit < 1) return blocked(1, ttl * 1000, secondsOf(Math.max(ttl, blockDuration) * 1000));
    // The limit starts afresh after the block. A longer window would still be full then.
    const isShort = blockDuration > 0 && blockDuration < ttl;
    const core = this.#cores.of(
      `${ttl} ${limit} ${blockDuration}`,
      () => [hitsOf(ttl, limit), ...(blockDuration > 0 ? [blockOf(blockDuration)] : [])],
      !isShort,
    );
    const verdict = countedVerdict(await core.ask("consume", key, {}));
    const row = rowOf(verdict, HITS);
    const resetAfterUs = row?.resetAfterUs ?? 0;
    if (verdict.status !== 200) {
      const block = rowOf(verdict, BLOCK);
      if (isShort && block?.allowed) await this.#forgetHits(key, ttl);
      return blocked(
        limit + 1,
        resetAfterUs,
        block ? secondsOf(block.retryAfterUs) : waitSeconds(verdict),
      );
    }
    return {
      totalHits: limit - row!.remaining,
      timeToExpire: secondsOf(resetAfterUs),
      isBlocked: false,
      timeToBlockExpire: 0,
    };
  }

  async #forgetHits(key: string, ttl: number): Promise<void> {
    // A reset needs no limit.
    await this.#cores.of(`${ttl}`, () => [hitsOf(ttl, 1)]).reset(key);
  }
}

const hitsOf = (ttl: number, limit: number) =>
  fixedWindow({ name: HITS, limit, window: durationOf(ttl), aligned: false });

/** The first denial fills it, for as long as a block lasts. */
const blockOf = (blockDuration: number) =>
  fixedWindow({
    name: BLOCK,
    limit: 1,
    window: durationOf(blockDuration),
    aligned: false,
    counts: "denials",
  });

const blocked = (totalHits: number, resetAfterUs: number, wait: number): ThrottlerRecord => ({
  totalHits,
  timeToExpire: secondsOf(resetAfterUs),
  isBlocked: true,
  timeToBlockExpire: wait,
});

const durationOf = (milliseconds: number) => `${milliseconds}ms` as Duration;
