/**
 * A limiter for rate-limiter-flexible: `import { RateLimiterTidegate } from "tidegate/rate-limiter-flexible"`.
 *
 * @module
 */

import { RateLimiterCompatibleAbstract, RateLimiterRes } from "rate-limiter-flexible";

import {
  COUNTER_SCRIPTS,
  countPoints,
  type PointCounter,
  pointsOf,
} from "./dropins/count-points.ts";
import { type Answer, partitionOf } from "./dropins/counts.ts";
import { type BlockedKeys, createBlockedKeys } from "./dropins/flexible-blocked-keys.ts";
import { checkedFlexible, type RateLimiterTidegateOptions } from "./dropins/flexible-options.ts";
import { checkedPoints, windowOf } from "./dropins/flexible-points.ts";
import { isForever, microsecondsOf } from "./dropins/numbers.ts";
import { openDropIn } from "./dropins/open-drop-in.ts";
import { Faults } from "./options/faults.ts";

export type { RateLimiterTidegateOptions } from "./dropins/flexible-options.ts";

interface CallOptions {
  /** Seconds, in place of `duration`, if the key has no points. */
  readonly customDuration?: number;
}

/**
 * Counts points for rate-limiter-flexible in any Redis: one call for each method. It works inside of its wrappers, unions,
 * queues and bursty limiters, and as an `insuranceLimiter`. Like the package's other limiters, it also counts denied points, in
 * a window that begins with the first point.
 *
 * @throws ConfigurationError with every fault
 * @example
 * const limiter = new RateLimiterTidegate({ redis: fromIoredis(redis), points: 5, duration: 60 });
 * await limiter.consume("user:42", 2);
 */
export class RateLimiterTidegate extends RateLimiterCompatibleAbstract {
  override readonly keyPrefix: string;
  override blockDuration: number;
  override execEvenly: boolean;
  readonly points: number;
  readonly duration: number;
  readonly blockOnConsumed: number;
  readonly inMemoryBlockOnConsumed: number;
  readonly inMemoryBlockDuration: number;
  readonly execEvenlyMinDelayMs: number;
  readonly #counter: PointCounter;
  readonly #blocked: BlockedKeys = createBlockedKeys();

  constructor(options: RateLimiterTidegateOptions) {
    super();
    const faults = new Faults();
    const checked = checkedFlexible(options, faults);
    const { points, duration, execEvenlyMinDelayMs, dropIn } = checked;
    this.keyPrefix = checked.keyPrefix;
    this.points = points;
    this.duration = duration;
    this.blockDuration = checked.blockDuration;
    this.blockOnConsumed = checked.blockOnConsumed;
    this.inMemoryBlockOnConsumed = checked.inMemoryBlockOnConsumed;
    this.inMemoryBlockDuration = checked.inMemoryBlockDuration;
    this.execEvenly = checked.execEvenly;
    this.execEvenlyMinDelayMs =
      execEvenlyMinDelayMs ?? (points > 0 ? Math.ceil((duration * 1000) / points) : 0);
    this.#counter = countPoints(openDropIn(dropIn, COUNTER_SCRIPTS, faults), "points");
  }

  /**
   * Consumes points. Points beyond the limit block the key in the same call, if `blockDuration` says so.
   *
   * @throws RateLimiterRes if the key has too few points left
   * @throws TidegateError `ERR_COST` for points that are no whole number
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  override async consume(
    key: string | number,
    pointsToConsume = 1,
    options?: CallOptions,
  ): Promise<RateLimiterRes> {
    const blocks = this.inMemoryBlockOnConsumed > 0;
    const partition = blocks ? partitionOf(key) : "";
    // Without a turn for most keys, so that calls of one turn are counted in their order.
    const blocked = typeof partition === "string" ? partition : await partition;
    const blockedMs = blocks ? this.#blocked.leftMs(blocked) : 0;
    // The package reports a denial this way, and a failure with an Error. oxlint-disable-next-line no-throw-literal
    if (blockedMs > 0) throw new RateLimiterRes(0, blockedMs);
    const points = checkedPoints(pointsToConsume);
    const block = {
      threshold: this.#blocksFrom - 1,
      blockUs: microsecondsOf(this.blockDuration * 1000),
    };
    const windowUs = windowOf(options?.customDuration, this.duration);
    const result = this.#resultOf(await this.#counter.add(key, points, windowUs, block), points);
    const { consumedPoints, msBeforeNext, isFirstInDuration } = result;
    const isDenied = consumedPoints > this.points;
    const ownMs = this.inMemoryBlockDuration * 1000;
    if (blocks && consumedPoints >= this.inMemoryBlockOnConsumed && (isDenied || ownMs === 0)) {
      const blockMs = ownMs || msBeforeNext;
      this.#blocked.add(blocked, blockMs);
      if (!isDenied) return result;
      // oxlint-disable-next-line no-throw-literal
      throw new RateLimiterRes(result.remainingPoints, blockMs, consumedPoints, isFirstInDuration);
    }
    // oxlint-disable-next-line no-throw-literal
    if (isDenied) throw result;
    const isEven = this.execEvenly && this.points > 0 && msBeforeNext > 0 && !isFirstInDuration;
    return isEven ? this.#delayed(result) : result;
  }

  /** Adds points, even beyond the limit. */
  override async penalty(
    key: string | number,
    points = 1,
    options?: CallOptions,
  ): Promise<RateLimiterRes> {
    const added = checkedPoints(points);
    const windowUs = windowOf(options?.customDuration, this.duration);
    return this.#resultOf(await this.#counter.add(key, added, windowUs), added);
  }

  /** Gives points back; the key may then have consumed less than none. */
  override async reward(
    key: string | number,
    points = 1,
    options?: CallOptions,
  ): Promise<RateLimiterRes> {
    return this.penalty(key, -points, options);
  }

  /** Reports the points of a key, or `null` if it has none. */
  override async get(key: string | number): Promise<RateLimiterRes | null> {
    const counted = await this.#counter.get(key);
    return counted.resetAfterUs > 0 ? this.#resultOf(counted, 0) : null;
  }

  /** Sets the points of a key for some seconds; 0 for ever. */
  override async set(
    key: string | number,
    points: number,
    secDuration: number,
  ): Promise<RateLimiterRes> {
    const seconds = secDuration >= 0 ? Number(secDuration) : this.duration;
    return this.#hold(key, points, seconds);
  }

  /** Blocks a key for some seconds; 0 for ever. */
  override async block(key: string | number, secDuration: number): Promise<RateLimiterRes> {
    return this.#hold(key, this.#blocksFrom, Number(secDuration));
  }

  /** Deletes the points of a key, and returns whether it had any. */
  override async delete(key: string | number): Promise<boolean> {
    const { resetAfterUs } = await this.#counter.forget(key);
    this.#blocked.delete(await partitionOf(key));
    return resetAfterUs > 0;
  }

  /** Lifts all blocks of this process; those in Redis stay. */
  deleteInMemoryBlockedAll(): void {
    this.#blocked.clear();
  }

  /** A key with its prefix. The keys in Redis have a form of their own. */
  getKey(key: string | number): string | number {
    return this.keyPrefix === "" ? key : `${this.keyPrefix}:${key}`;
  }

  /** A key without its prefix. */
  parseKey(rlKey: string): string {
    return this.keyPrefix === "" ? rlKey : rlKey.slice(this.keyPrefix.length + 1);
  }

  /** With how many points consumed a key is blocked. */
  get #blocksFrom(): number {
    const { blockOnConsumed, points } = this;
    return blockOnConsumed > points ? blockOnConsumed : Math.floor(points) + 1;
  }

  async #hold(key: string | number, points: number, seconds: number): Promise<RateLimiterRes> {
    await this.#counter.set(key, checkedPoints(points), windowOf(seconds, 0));
    return new RateLimiterRes(0, seconds > 0 ? seconds * 1000 : -1, points, false);
  }

  /** @param changed by how many points the call changed them */
  #resultOf(answer: Answer, changed: number): RateLimiterRes {
    const consumed = pointsOf(answer);
    const { resetAfterUs } = answer;
    const waitMs = isForever(resetAfterUs) ? -1 : Math.ceil(resetAfterUs / 1000);
    const remaining = Math.max(0, this.points - consumed);
    return new RateLimiterRes(remaining, waitMs, consumed, consumed === changed);
  }

  /** Waits for a share of the remaining duration. */
  async #delayed(counted: RateLimiterRes): Promise<RateLimiterRes> {
    const { msBeforeNext, remainingPoints, consumedPoints } = counted;
    const share = Math.ceil(msBeforeNext / (remainingPoints + 2));
    const shortest = this.execEvenlyMinDelayMs;
    const delayMs = share < shortest ? consumedPoints * shortest : share;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const left = Math.max(0, msBeforeNext - delayMs);
    return new RateLimiterRes(remainingPoints, left, consumedPoints, false);
  }
}
