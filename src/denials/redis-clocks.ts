import { setRecent } from "../runtime/lru.ts";
import { DRIFT } from "./denial-cache.ts";

/** What this isolate knows of Redis's clock, by partition: each master of a cluster has a clock of its own. */
export interface RedisClocks {
  /**
   * Notes what Redis's clock showed when it decided a request. Returns the earliest moment (ms of this isolate's clock) at
   * which it can have decided: when the request was sent, or later if other answers prove that.
   */
  note(partition: string, redisNowUs: number, sentAtMs: number, receivedAtMs: number): number;
  /** What the answers of the last 10 s prove; `undefined` if there were none. */
  boundOf(partition: string, nowMs: number): Bound | undefined;
}

/** While this isolate's clock shows `moment`, Redis's shows at most `baseMs + moment * (1 + DRIFT)` milliseconds. */
export interface Bound {
  readonly baseMs: number;
  /** When the request that proves the bound was sent. */
  readonly sentAtMs: number;
}

/**
 * How long a bound is used. After that, drift has made it about as loose as a new one is; and a step of Redis's clock that
 * was too small to be noticed does no harm for longer.
 */
const MAX_AGE_MS = 10_000;

/** Redis's clock shows whole microseconds, and sums of times since 1970 are rounded to quarters. */
const ROUNDING_MS = 0.002;

/** Few partitions are denied over and over, and a forgotten one costs one call. */
const MAX_ENTRIES = 1_000;

/**
 * The request that reached Redis fastest gives the tightest bound on its clock. Later answers are dated by that bound, so
 * that a denial is not forgotten early because its own request was slow.
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

/** The earliest moment of this isolate's clock at which Redis's can have shown `redisNowUs`. */
export function earliestMs({ baseMs }: Bound, redisNowUs: number): number {
  return (redisNowUs / 1000 - baseMs) / (1 + DRIFT) - ROUNDING_MS;
}
