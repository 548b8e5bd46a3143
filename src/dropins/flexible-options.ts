import { DEFAULTS, PREFIX } from "../limiter/settings.ts";
import type { Faults } from "../options/faults.ts";
import { kindOf } from "../options/kind-of.ts";
import {
  BLOCK_FROM,
  BOOLEAN,
  FINITE,
  INSURANCE_LIMITER,
  MILLISECONDS,
  NEEDS_BLOCK_FROM,
  NOT_READY,
  OF_DATABASES,
  OWN_SCRIPT,
  PREFIX as PREFIX_FAULT,
  REDIS_PACKAGE,
  SECONDS,
  STORE_CLIENT,
} from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import type { DropInOptions } from "./open-drop-in.ts";
import { prefixOf } from "./prefix.ts";

/** The options of a `RateLimiterTidegate`: those of rate-limiter-flexible, and the Redis that counts. */
export interface RateLimiterTidegateOptions extends Omit<DropInOptions, "prefix"> {
  /** Points that a key may consume in a duration. Range: any number. */
  readonly points: number;
  /**
   * Seconds from a key's first point until all of them are forgotten, to the microsecond; 0, or more than 133 years, if they
   * never are. Range: from 0.
   */
  readonly duration: number;
  /**
   * Seconds for which a key is blocked after it consumed too many points; 0 for the rest of its duration. Range: from 0.
   * Default: `0`.
   */
  readonly blockDuration?: number;
  /**
   * With how many points consumed `blockDuration` begins. Range: from `points`; 0 for one more than `points`. Default: `0`.
   */
  readonly blockOnConsumed?: number;
  /**
   * With how many points consumed this process blocks a key without asking Redis. Range: from `points`; 0 for never. Default:
   * `0`.
   */
  readonly inMemoryBlockOnConsumed?: number;
  /** For how many seconds it does; 0 for as long as the points count. Range: from 0. Default: `0`. */
  readonly inMemoryBlockDuration?: number;
  /** Whether allowed actions are delayed, so that they are spread over the duration. Default: `false`. */
  readonly execEvenly?: boolean;
  /** The shortest delay with `execEvenly`, in milliseconds. Range: 0 or more. Default: `duration * 1000 / points`. */
  readonly execEvenlyMinDelayMs?: number;
  /**
   * The start of every key in Redis. Other characters than those of a limiter's `prefix` are escaped. Range: up to 64
   * characters. Default: `"rlflx"`.
   */
  readonly keyPrefix?: string;
}

const NAMES = [
  "points",
  "duration",
  "blockDuration",
  "blockOnConsumed",
  "inMemoryBlockOnConsumed",
  "inMemoryBlockDuration",
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

/** The remedies for options of the package that need another one here. */
const REMEDIES = {
  storeClient: STORE_CLIENT,
  insuranceLimiter: INSURANCE_LIMITER,
  rejectIfRedisNotReady: NOT_READY,
  rejectIfValkeyNotReady: NOT_READY,
  useRedisPackage: REDIS_PACKAGE,
  useRedis3AndLowerPackage: REDIS_PACKAGE,
  customIncrTtlLuaScript: OWN_SCRIPT,
  storeType: OF_DATABASES,
  dbName: OF_DATABASES,
  tableName: OF_DATABASES,
  tableCreated: OF_DATABASES,
  clearExpiredByTimeout: OF_DATABASES,
} as const;

const isFrom0 = (value: unknown) => Number.isFinite(value) && (value as number) >= 0;

/** The options without those of the package that need another one here; each of these is a fault. */
function withoutPeers<Options>(options: Options, faults: Faults): Options {
  if (typeof options !== "object" || options === null) return options;
  const rest = { ...options };
  for (const [name, kind] of Object.entries(REMEDIES)) {
    const value = rest[name as keyof Options];
    // A client may contain a password.
    if (value !== undefined) faults.add(name, kindOf(value), kind);
    delete rest[name as keyof Options];
  }
  return rest;
}

/** The checked options, with defaults; after a fault with values to go on with. */
export function checkedFlexible(unchecked: RateLimiterTidegateOptions, faults: Faults) {
  const options = checkedOptions(withoutPeers(unchecked, faults), NAMES, faults);
  const {
    points,
    duration,
    blockDuration = 0,
    blockOnConsumed = 0,
    inMemoryBlockOnConsumed = 0,
    inMemoryBlockDuration = 0,
    execEvenly = false,
    execEvenlyMinDelayMs,
    keyPrefix = "rlflx",
  } = options;
  if (!Number.isFinite(points)) faults.add("points", points, FINITE);
  for (const [name, seconds] of Object.entries({
    duration,
    blockDuration,
    inMemoryBlockDuration,
  })) {
    if (!isFrom0(seconds)) faults.add(name, seconds, SECONDS);
  }
  for (const [name, from] of Object.entries({ blockOnConsumed, inMemoryBlockOnConsumed })) {
    if (!Number.isSafeInteger(from) || from < 0 || (from > 0 && from < points)) {
      faults.add(name, from, BLOCK_FROM, points);
    }
  }
  if (inMemoryBlockDuration > 0 && inMemoryBlockOnConsumed === 0) {
    faults.add("inMemoryBlockDuration", inMemoryBlockDuration, NEEDS_BLOCK_FROM);
  }
  if (typeof execEvenly !== "boolean") faults.add("execEvenly", execEvenly, BOOLEAN);
  if (execEvenly && execEvenlyMinDelayMs !== undefined && !isFrom0(execEvenlyMinDelayMs)) {
    faults.add("execEvenlyMinDelayMs", execEvenlyMinDelayMs, MILLISECONDS);
  }
  const prefix = typeof keyPrefix === "string" ? prefixOf(keyPrefix) : "";
  if (!PREFIX.test(prefix)) faults.add("keyPrefix", keyPrefix, PREFIX_FAULT);

  const { onFailure, redis, store, dialect, timeout, onStoreError } = options;
  // The Redis stands under its earlier name: two faults about missing variables would hide that one.
  const isRenamed = "storeClient" in Object(unchecked) && redis === undefined;
  if (isRenamed && store === undefined) faults.throwIfAny();
  return {
    points,
    duration,
    blockDuration,
    blockOnConsumed,
    inMemoryBlockOnConsumed,
    inMemoryBlockDuration,
    execEvenly,
    execEvenlyMinDelayMs,
    keyPrefix,
    dropIn: {
      onFailure,
      redis,
      store,
      dialect,
      timeout,
      onStoreError,
      prefix: PREFIX.test(prefix) ? prefix : DEFAULTS.prefix,
    } as DropInOptions,
  };
}
