import { buckets, fullBucket, take } from "./local-bucket.ts";
import type { Way } from "./way.ts";

/** Each isolate has a bucket of its own, as limiters in memory do. */
export const own: Way = () => {
  const bucketOf = buckets(fullBucket);
  return async (identity) => take(bucketOf(identity));
};
