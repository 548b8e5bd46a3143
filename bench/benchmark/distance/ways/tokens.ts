import { UNSYNCHRONISED } from "../terms.ts";
import { buckets, fullBucket, learn, type LocalBucket, take, takeSpent } from "./local-bucket.ts";
import { ANY_DEBT, sharedBucket } from "./shared-bucket.ts";
import type { Way } from "./way.ts";

/** The longest that Bucket4j's delayed synchronisation waits, in its own examples. */
const STALE_MS = 500;

interface Delaying extends LocalBucket {
  /** The time from which on its view is stale; from the start if it has none. */
  staleAtMs: number;
}

/**
 * Decides by the isolate's own view while few units are unreported and the view is young. Else the request waits for Redis, and
 * reports them. Units admitted above the limit are missing later, as Bucket4j's buckets go into debt.
 */
export const tokens: Way = (place) => {
  const shared = sharedBucket(place, ANY_DEBT);
  const bucketOf = buckets((): Delaying => ({ ...fullBucket(), staleAtMs: -Infinity }));
  return async (identity) => {
    const bucket = bucketOf(identity);
    if (bucket.spent + 1 <= UNSYNCHRONISED && Date.now() <= bucket.staleAtMs) return take(bucket);
    const { allowed, level } = await shared(identity, { spent: takeSpent(bucket), wanted: 1 });
    learn(bucket, level);
    bucket.staleAtMs = Date.now() + STALE_MS;
    return allowed;
  };
};
