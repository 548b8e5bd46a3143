import { setTimeout as sleep } from "node:timers/promises";

import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";

import {
  createLimiter,
  lease,
  optimistic,
  tokenBucket,
  type TokenBucketOptions,
} from "../../../src/index.ts";
import { keepAlive } from "../../../src/runtime/keep-alive.ts";
import {
  ANY_DEBT,
  buckets,
  fullBucket,
  learn,
  type LocalBucket,
  type Place,
  sharedBucket,
  take,
  takeSpent,
} from "./buckets.ts";
import { LIMIT, RATE, THRESHOLD, TOKEN, UNSETTLED, UNSYNCHRONISED } from "./names.ts";

/** Decides a request in its isolate; resolves with whether it is allowed. */
export type Decide = (identity: string) => Promise<boolean>;

/** Opens one isolate's limiter of one kind. */
type Way = (place: Place) => Decide;

const tidegate =
  (options: Pick<TokenBucketOptions, "lease" | "optimistic">): Way =>
  ({ url, run }) => {
    const limiter = createLimiter({
      redis: { url, token: TOKEN },
      dialect: "upstash",
      // A machine under full load may take longer than the usual timeout.
      timeout: "5s",
      policies: [tokenBucket({ name: run, limit: LIMIT, refill: RATE, per: "1s", ...options })],
    });
    return async (identity) => (await limiter.limit(identity)).allowed;
  };

const upstash: Way = ({ url, run }) => {
  const limiter = new Ratelimit({
    redis: new Redis({ url, token: TOKEN, enableTelemetry: false }),
    // It refills at the end of each interval, so that a longer one would refill in bursts.
    limiter: Ratelimit.tokenBucket(1, `${1_000 / RATE} ms`, LIMIT),
    prefix: run,
  });
  return async (identity) => (await limiter.limit(identity)).success;
};

/** Each isolate has a bucket of its own, as limiters in memory do. */
const own: Way = () => {
  const bucketOf = buckets(fullBucket);
  return async (identity) => take(bucketOf(identity));
};

/** The `sync_interval` with which APISIX's users report their figures. */
const INTERVAL_MS = 200;

interface Syncing extends LocalBucket {
  isDue: boolean;
}

/**
 * Decides by the isolate's own view, and exchanges counts with Redis once in each interval in which requests came. Redis forgets
 * units admitted above the limit, as a counter of a window does at its end.
 */
const interval: Way = (place) => {
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

/** The oldest view of Redis by which Unkey decides, and the longest that a count stays untold. */
const PUBLISH_MS = 5_000;

interface Publishing extends LocalBucket {
  /** The time from which on its view is stale. */
  staleAtMs: number;
  isFlushing: boolean;
}

/**
 * Decides by the isolate's own view until it has admitted a share of the limit. That request waits for Redis, and reports all of
 * them. Units admitted above the limit are missing later, as in a window that weighs the one before.
 */
const threshold: Way = (place) => {
  const shared = sharedBucket(place, ANY_DEBT);
  const bucketOf = buckets((): Publishing => ({
    ...fullBucket(),
    staleAtMs: Date.now() + PUBLISH_MS,
    isFlushing: false,
  }));

  async function publish(identity: string, bucket: Publishing, wanted: 0 | 1): Promise<boolean> {
    const { allowed, level } = await shared(identity, { spent: takeSpent(bucket), wanted });
    learn(bucket, level);
    bucket.staleAtMs = Date.now() + PUBLISH_MS;
    return allowed;
  }

  async function flush(identity: string, bucket: Publishing): Promise<void> {
    await sleep(PUBLISH_MS);
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

/** The longest that Bucket4j's delayed synchronisation waits, in its own examples. */
const DELAY_MS = 500;

interface Delaying extends LocalBucket {
  /** The time from which on its view is stale; from the start if it has none. */
  staleAtMs: number;
}

/**
 * Decides by the isolate's own view while few units are unreported and the view is young. Else the request waits for Redis, and
 * reports them. Units admitted above the limit are missing later, as Bucket4j's buckets go into debt.
 */
const tokens: Way = (place) => {
  const shared = sharedBucket(place, ANY_DEBT);
  const bucketOf = buckets((): Delaying => ({ ...fullBucket(), staleAtMs: -Infinity }));
  return async (identity) => {
    const bucket = bucketOf(identity);
    if (bucket.spent + 1 <= UNSYNCHRONISED && Date.now() <= bucket.staleAtMs) return take(bucket);
    const { allowed, level } = await shared(identity, { spent: takeSpent(bucket), wanted: 1 });
    learn(bucket, level);
    bucket.staleAtMs = Date.now() + DELAY_MS;
    return allowed;
  };
};

/** By the names of `names.ts`. */
export const WAYS: Readonly<Record<string, Way>> = {
  optimistic: tidegate({ optimistic: optimistic({ unsettled: UNSETTLED }) }),
  plain: tidegate({}),
  leased: tidegate({ lease: lease("400ms") }),
  upstash,
  interval,
  threshold,
  tokens,
  own,
};
