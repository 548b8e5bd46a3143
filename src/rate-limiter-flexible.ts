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
import { DEFAULTS, PREFIX } from "./limiter/settings.ts";
import { Faults } from "./options/faults.ts";
import {
  BOOLEAN,
  FINITE,
  MILLISECONDS,
  PREFIX as PREFIX_FAULT,
  SECONDS,
} from "./options/messages.ts";
import { checkedOptions } from "./options/unknown-options.ts";

/** The options of a `RateLimiterTidegate`: those of rate-limiter-flexible, and the Redis that counts. */
export interface RateLimiterTidegateOptions extends Omit<DropInOptions, "prefix"> {
  /** Points that a key may consume in a duration. Range: any number. */
  readonly points: number;
  /**
   * Seconds from a key's first point until all of them are forgotten; 0 for 366 days, the longest. Range: 0 to 31,622,400.
   */
  readonly duration: number;
  /**
   * Seconds for which a key is blocked after it consumed too many points; 0 for the rest of its duration. Range: 0 to
   * 31,622,400. Default: `0`.
   */
  readonly blockDuration?: number;
  /** Whether allowed actions are delayed, so that they are spread over the duration. Default: `false`. */
  readonly execEvenly?: boolean;
  /** The shortest delay with `execEvenly`, in milliseconds. Range: 0 or more. Default: `duration * 1000 / points`. */
  readonly execEvenlyMinDelayMs?: number;
  /** The start of every key in Redis, as `prefix` of a limiter. Range: 1 to 64 characters. Default: `"rlflx"`. */
  readonly keyPrefix?: string;
}

const NAMES = [
  "points",
  "duration",
  "blockDuration",
  "execEvenly",
  "execEvenlyMinDelayMs",
  "keyPrefix",
  "onFailure",
  "redis",
  "store",
  "dialect",
  "timeout",
  "onStoreError",
] as const satisfies (keyof RateLimiterTidegateOptions)[];

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
    const faults = new Faults();
    const {
      points,
      duration,
      blockDuration = 0,
      execEvenly = false,
      execEvenlyMinDelayMs = points > 0 ? Math.ceil((duration * 1000) / points) : 0,
      keyPrefix = "rlflx",
      ...counter
    } = checkedOptions(options, NAMES, faults);
    if (!Number.isFinite(points)) faults.add("points", points, FINITE);
    for (const [name, seconds] of Object.entries({ duration, blockDuration })) {
      if (!isWithin(seconds, LONGEST_MS / 1000)) {
        faults.add(name, seconds, SECONDS, LONGEST_MS / 1000);
      }
    }
    if (typeof execEvenly !== "boolean") faults.add("execEvenly", execEvenly, BOOLEAN);
    if (execEvenly && !isWithin(execEvenlyMinDelayMs, Infinity)) {
      faults.add("execEvenlyMinDelayMs", execEvenlyMinDelayMs, MILLISECONDS);
    }
    const isPrefix = PREFIX.test(keyPrefix);
    if (!isPrefix) faults.add("keyPrefix", keyPrefix, PREFIX_FAULT);
    this.keyPrefix = keyPrefix;
    this.points = points;
    this.duration = duration;
    this.blockDuration = blockDuration;
    this.execEvenly = execEvenly;
    this.execEvenlyMinDelayMs = execEvenlyMinDelayMs;
    const prefix = isPrefix ? keyPrefix : DEFAULTS.prefix;
    this.#counter = countPoints(openCores({ ...known(counter), prefix }, POINT_COUNTER, faults));
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

/** Those of the options that the check of names has passed. */
function known<Options extends object>(options: Options): Options {
  const names: readonly string[] = NAMES;
  return Object.fromEntries(Object.entries(options).filter(([n]) => names.includes(n))) as Options;
}

const isWithin = (value: unknown, most: number) =>
  Number.isFinite(value) && (value as number) >= 0 && (value as number) <= most;
