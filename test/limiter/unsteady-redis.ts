import { vi } from "vitest";

import {
  type ReservingLimiter,
  memoryStore,
  type Store,
  StoreError,
} from "../support/limiter/plain.ts";

/** A store far away, as a guarded Redis is: a test lets it go, and keeps its answers back. */
export interface UnsteadyRedis {
  readonly store: Store;
  gone: boolean;
  /** The store that it counts with. */
  counts: Store;
  /** The promise on which each answer waits on its way. */
  arrival: () => Promise<void> | void;
}

/** It counts by faked clocks. */
export function unsteadyRedis(): UnsteadyRedis {
  const redis: UnsteadyRedis = {
    gone: false,
    counts: memoryStore({ now: () => Date.now() * 1000 }),
    arrival: () => {},
    store: {
      async decide(...request) {
        if (redis.gone) throw new StoreError("ERR_STORE_TIMEOUT", "It is slow.");
        const reply = await redis.counts.decide(...request);
        await redis.arrival();
        return reply;
      },
      reset: (keys) => redis.counts.reset(keys),
    },
  };
  return redis;
}

/** How many of these requests pass, a millisecond apart by faked clocks. */
export async function passing(
  limiter: ReservingLimiter,
  requests: number,
  cost = 1,
): Promise<number> {
  let allowed = 0;
  for (let request = 0; request < requests; request++) {
    vi.advanceTimersByTime(1);
    allowed += Number((await limiter.limit("ada", { cost })).allowed);
  }
  return allowed;
}
