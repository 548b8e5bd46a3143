import { setTimeout as sleep } from "node:timers/promises";

import { keepAlive } from "../../../../src/runtime/keep-alive.ts";
import { buckets, fullBucket, learn, type LocalBucket, take, takeSpent } from "./local-bucket.ts";
import { sharedBucket } from "./shared-bucket.ts";
import type { Way } from "./way.ts";

/** The `sync_interval` with which APISIX's users report their figures. */
const INTERVAL_MS = 200;

interface Syncing extends LocalBucket {
  isDue: boolean;
}

/**
 * Decides by the isolate's own view, and exchanges counts with Redis once in each interval in which requests came. Redis forgets
 * units admitted above the limit, as a counter of a window does at its end.
 */
export const interval: Way = (place) => {
  const shared = sharedBucket(place, 0);
  const bucketOf = buckets((): Syncing => ({ ...fullBucket(), isDue: false }));

  async function exchange(identity: string, bucket: Syncing): Promise<void> {
    await sleep(INTERVAL_MS);
    bucket.isDue = false;
    const { level } = await shared(identity, { spent: takeSpent(bucket), wanted: 0 });
    learn(bucket, level);
  }

  return async (identity) => {
    const bucket = bucketOf(identity);
    const allowed = take(bucket);
    if (!bucket.isDue) {
      bucket.isDue = true;
      // The end of a run closes the way to Redis.
      keepAlive(exchange(identity, bucket).catch(() => {}));
    }
    return allowed;
  };
};
