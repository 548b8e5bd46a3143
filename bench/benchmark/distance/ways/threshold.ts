import { setTimeout as sleep } from "node:timers/promises";

import { keepAlive } from "../../../../src/runtime/keep-alive.ts";
import { LIMIT, THRESHOLD } from "../terms.ts";
import { buckets, fullBucket, learn, type LocalBucket, take, takeSpent } from "./local-bucket.ts";
import { ANY_DEBT, sharedBucket } from "./shared-bucket.ts";
import type { Way } from "./way.ts";

/** The oldest view of Redis by which Unkey decides, and the longest that a count stays untold. */
const STALE_MS = 5_000;

interface Publishing extends LocalBucket {
  /** The time from which on its view is stale. */
  staleAtMs: number;
  isFlushing: boolean;
}

/**
 * Decides by the isolate's own view until it has admitted a share of the limit. That request waits for Redis, and reports all of
 * them. Units admitted above the limit are missing later, as in a window that weighs the one before.
 */
export const threshold: Way = (place) => {
  const shared = sharedBucket(place, ANY_DEBT);
  const bucketOf = buckets((): Publishing => ({
    ...fullBucket(),
    staleAtMs: Date.now() + STALE_MS,
    isFlushing: false,
  }));

  async function publish(identity: string, bucket: Publishing, wanted: 0 | 1): Promise<boolean> {
    const { allowed, level } = await shared(identity, { spent: takeSpent(bucket), wanted });
    learn(bucket, level);
    bucket.staleAtMs = Date.now() + STALE_MS;
    return allowed;
  }

  async function flush(identity: string, bucket: Publishing): Promise<void> {
    await sleep(STALE_MS);
    bucket.isFlushing = false;
    if (bucket.spent > 0) await publish(identity, bucket, 0);
  }

  return async (identity) => {
    const bucket = bucketOf(identity);
    if (bucket.spent + 1 > THRESHOLD * LIMIT || Date.now() > bucket.staleAtMs) {
      return publish(identity, bucket, 1);
    }
    if (!bucket.isFlushing) {
      bucket.isFlushing = true;
      // The end of a run closes the way to Redis.
      keepAlive(flush(identity, bucket).catch(() => {}));
    }
    return take(bucket);
  };
};
