/**
 * A limiter for rate-limiter-flexible: `import { RateLimiterTidegate } from "tidegate/rate-limiter-flexible"`.
 *
 * @module
 */

import { RateLimiterCompatibleAbstract, RateLimiterRes } from "rate-limiter-flexible";

import { type DropInOptions, openCores } from "./dropins/open-cores.ts";
import {
  countPoints,
  LONGEST_MS,
  POINT_COUNTER,
  type PointCounter,
  type Points,
} from "./dropins/point-counter.ts";

/** The options of a `RateLimiterTidegate`: those of rate-limiter-flexible, and the Redis that counts. */
export interface RateLimiterTidegateOptions extends Omit<DropInOptions, "prefix"> {
  /** Points that a key may consume in a duration. */
  readonly points: number;
  /** Seconds from a key's first point until all of them are forgotten; 0 for 366 days, the longest. */
  readonly duration: number;
  /**
   * Seconds for which a key is blocked after it consumed too many points; 0 for the rest of its duration. Default: `0`.
   */
  readonly blockDuration?: number;
  /** Whether allowed actions are delayed, so that they are spread over the duration. Default: `false`. */
  readonly execEvenly?: boolean;
  /** The shortest delay with `execEvenly`, in milliseconds. Default: `duration * 1000 / points`. */
  readonly execEvenlyMinDelayMs?: number;
  /** The start of every key in Redis, as `prefix` of a limiter. Default: `"rlflx"`. */
  readonly keyPrefix?: string;
}

interface CallOptions {
  /** Seconds, in place of `duration`. */
  readonly customDuration?: number;
}

/**
 * Counts points for rate-limiter-flexible in any Redis: one call for each `consume()`. It works inside of its wrappers,
 * unions, queues and bursty limiters, and as an `insuranceLimiter`. Like the package's other limiters, it also counts
 * denied points, in a window that begins with the first point.
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
  readonly execEvenlyMinDelayMs: number;
  readonly #counter: PointCounter;

  constructor(options: RateLimiterTidegateOptions) {
    super();
    const {
      points,
      duration,
      blockDuration = 0,
      execEvenly = false,
      execEvenlyMinDelayMs = points > 0 ? Math.ceil((duration * 1000) / points) : 0,
      keyPrefix = "rlflx",
      ...counter
    } = options;
    requireNumber("points", points, -Infinity);
    requireNumber("duration", duration, 0);
    this.keyPrefix = keyPrefix;
    this.points = points;
    this.duration = duration;
    this.blockDuration = blockDuration;
    this.execEvenly = execEvenly;
    this.execEvenlyMinDelayMs = execEvenlyMinDelayMs;
    this.#counter = countPoints(openCores({ ...counter, prefix: keyPrefix }, POINT_COUNTER));
  }

  /**
   * Consumes points.
   *
   * @throws RateLimiterRes if the key has too few points left
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  override async consume(
    key: string | number,
    pointsToConsume = 1,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    const counted = await this.#add(key, pointsToConsume, options);
    const { consumedPoints, msBeforeNext, isFirstInDuration } = counted;
    if (consumedPoints > this.points) {
      const isFirst = consumedPoints <= this.points + pointsToConsume;
      // The package reports a denial this way, and a failure with an Error. oxlint-disable-next-line no-throw-literal
      if (this.blockDuration <= 0 || !isFirst) throw counted;
      // oxlint-disable-next-line no-throw-literal
      throw await this.set(key, consumedPoints, this.blockDuration);
    }
    return this.execEvenly && msBeforeNext > 0 && !isFirstInDuration
      ? this.#delayed(counted)
      : counted;
  }

  /** Adds points, even beyond the limit. */
  override penalty(
    key: string | number,
    points = 1,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    return this.#add(key, points, options);
  }

  /** Gives points back; the count does not go below 0. */
  override async reward(
    key: string | number,
    points = 1,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    const counted = await this.#counter.takeBack(String(key), points, this.#windowMs(options));
    return this.#resultOf(counted, false);
  }

  /** Reports the points of a key, or `null` if it has none. */
  override async get(key: string | number): Promise<RateLimiterRes | null> {
    const counted = await this.#counter.get(String(key), this.#windowMs());
    return counted.used > 0 ? this.#resultOf(counted, false) : null;
  }

  /**
   * Sets the points of a key for some seconds; 0 for 366 days. Takes two calls; between them, the key has no points.
   */
  override async set(
    key: string | number,
    points: number,
    secDuration: number,
  ): Promise<RateLimiterRes> {
    const seconds = secDuration >= 0 ? secDuration : this.duration;
    const holdMs = millisecondsOf(seconds);
    await this.#counter.hold(String(key), points, holdMs, this.#windowMs());
    return new RateLimiterRes(0, seconds === 0 ? -1 : holdMs, points, false);
  }

  /** Blocks a key for some seconds; 0 for 366 days. */
  override block(key: string | number, secDuration: number): Promise<RateLimiterRes> {
    return this.set(key, this.points + 1, secDuration);
  }

  /** Deletes the points of a key, and returns whether it had any. */
  override async delete(key: string | number): Promise<boolean> {
    const { used } = await this.#counter.get(String(key), this.#windowMs());
    await this.#counter.forget(String(key), this.#windowMs());
    return used > 0;
  }

  async #add(key: string | number, points: number, options: CallOptions): Promise<RateLimiterRes> {
    const counted = await this.#counter.add(String(key), points, this.#windowMs(options));
    return this.#resultOf(counted, counted.used === points);
  }

  #resultOf({ used, resetAfterMs }: Points, isFirst: boolean): RateLimiterRes {
    const remaining = Math.max(0, this.points - used);
    return new RateLimiterRes(remaining, Math.ceil(resetAfterMs), used, isFirst);
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

  #windowMs({ customDuration }: CallOptions = {}): number {
    const isCustom = customDuration !== undefined && customDuration >= 0;
    return millisecondsOf(isCustom ? customDuration : this.duration);
  }
}

const millisecondsOf = (seconds: number) => (seconds === 0 ? LONGEST_MS : seconds * 1000);

function requireNumber(name: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw new TypeError(
    `RateLimiterTidegate: ${name} must be a number${least === 0 ? " from 0" : ""}.`,
  );
}
