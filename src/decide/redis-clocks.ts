import { setRecent } from "../runtime/lru.ts";
import { DRIFT } from "./denial-cache.ts";

/** Bounds of Redis's clock, by partition: each master of a cluster has its own clock. */
export interface RedisClocks {
  /**
   * Notes the time of Redis's clock at a decision. Returns the earliest possible moment of the decision (ms of this
   * isolate's clock): the time of sending, or later if other answers prove it.
   */
  note(partition: string, redisNowUs: number, sentAtMs: number, receivedAtMs: number): number;
  /** The bound from the answers of the last 10 s; `undefined` without any. */
  boundOf(partition: string, nowMs: number): Bound | undefined;
}

/** While this isolate's clock shows `moment`, Redis's shows at most `baseMs + moment * (1 + DRIFT)` milliseconds. */
export interface Bound {
  readonly baseMs: number;
  /** The sending time of the request that proves the bound. */
  readonly sentAtMs: number;
}

/**
 * The longest use of a bound. After that, drift has made it about as loose as a new one; and an unnoticed small step of
 * Redis's clock does no harm for longer.
 */
const MAX_AGE_MS = 10_000;

/** Redis's clock shows whole microseconds, and sums of times since 1970 are rounded to quarters. */
const ROUNDING_MS = 0.002;

/** Few partitions are denied over and over, and a forgotten one costs one call. */
const MAX_ENTRIES = 1_000;

/**
 * The request that reached Redis fastest gives the tightest bound on its clock. That bound dates later answers, so that
 * a denial with a slow request of its own does not expire early.
 */
export function createRedisClocks(): RedisClocks {
  const bounds = new Map<string, Bound>();

  function boundOf(partition: string, nowMs: number): Bound | undefined {
    const bound = bounds.get(partition);
    return bound && nowMs - bound.sentAtMs < MAX_AGE_MS ? bound : undefined;
  }

  return {
    boundOf,

    note(partition, redisNowUs, sentAtMs, receivedAtMs) {
      const redisNowMs = redisNowUs / 1000;
      let bound: Bound = { baseMs: redisNowMs - sentAtMs * (1 + DRIFT), sentAtMs };
      const known = boundOf(partition, receivedAtMs);
      // If Redis's clock is beyond the bound, it has stepped forward since.
      if (
        known &&
        known.baseMs < bound.baseMs &&
        redisNowMs <= known.baseMs + receivedAtMs * (1 + DRIFT)
      ) {
        bound = known;
      }
      setRecent(bounds, partition, bound, MAX_ENTRIES);
      return Math.max(sentAtMs, earliestMs(bound, redisNowUs));
    },
  };
}

/** The earliest moment of this isolate's clock at which Redis's may have shown `redisNowUs`. */
export function earliestMs({ baseMs }: Bound, redisNowUs: number): number {
  return (redisNowUs / 1000 - baseMs) / (1 + DRIFT) - ROUNDING_MS;
}
