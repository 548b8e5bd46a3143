import { setRecent } from "../runtime/lru.ts";
import { DRIFT } from "./denial-cache.ts";

/** What this isolate knows of Redis's clock. By partition, because each master of a cluster has a clock of its own. */
export interface RedisClocks {
  /**
   * Notes what Redis's clock showed, in microseconds, when it answered a request. Returns the earliest moment of this
   * isolate's clock at which that can have been, in milliseconds: the sending, or later if other answers tell more.
   */
  note(partition: string, shown: number, sentAt: number, receivedAt: number): number;
  /** What the answers of late say; `undefined` if there were none. */
  boundOf(partition: string, now: number): Bound | undefined;
}

/** At a moment of this isolate's clock, Redis's shows at most `base + moment * (1 + DRIFT)`. Milliseconds. */
export interface Bound {
  readonly base: number;
  /** When the request was sent that says so. */
  readonly sentAt: number;
}

/**
 * How long a bound is used, in milliseconds. By then drift has taken as much off it as a way to Redis takes; and a
 * step of Redis's clock too small to be noticed is forgotten.
 */
const MAX_AGE = 10_000;

/** Redis's clock shows whole microseconds, and sums of times since 1970 are rounded to quarters. Milliseconds. */
const ROUNDING = 0.002;

/** Few partitions are denied over and over; to have forgotten one costs a call. */
const MAX_ENTRIES = 1_000;

/**
 * A request that was fast on its way to Redis tells best what Redis's clock shows. Later answers are dated by it, so
 * that a denial runs out when it truly does, and not by a slow way earlier.
 */
export function createRedisClocks(): RedisClocks {
  const bounds = new Map<string, Bound>();

  function boundOf(partition: string, now: number): Bound | undefined {
    const bound = bounds.get(partition);
    return bound && now - bound.sentAt < MAX_AGE ? bound : undefined;
  }

  return {
    boundOf,

    note(partition, shown, sentAt, receivedAt) {
      const time = shown / 1000;
      let bound: Bound = { base: time - sentAt * (1 + DRIFT), sentAt };
      const known = boundOf(partition, receivedAt);
      // One that Redis's clock has passed is of before it stepped forwards.
      if (known && known.base < bound.base && time <= known.base + receivedAt * (1 + DRIFT)) {
        bound = known;
      }
      setRecent(bounds, partition, bound, MAX_ENTRIES);
      return Math.max(sentAt, earliest(bound, shown));
    },
  };
}

/** The earliest moment of this isolate's clock at which Redis's can have shown so many microseconds. */
export function earliest({ base }: Bound, shown: number): number {
  return (shown / 1000 - base) / (1 + DRIFT) - ROUNDING;
}
