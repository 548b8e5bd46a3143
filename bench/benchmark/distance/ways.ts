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
  type LocalBucket,
  type Place,
  reporter,
  take,
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

interface Reporting extends LocalBucket {
  /** Whether a report is under way that no request waits for. */
  isDue: boolean;
  /** The time from which on its view is stale; from the start if it has none. */
  staleAtMs: number;
}

function freshBucket(): Reporting {
  return { ...fullBucket(), isDue: false, staleAtMs: -Infinity };
}

/** Reports once, this much later, however often it is asked for meanwhile. */
function reportLater(bucket: Reporting, ms: number, report: () => Promise<unknown>): void {
  if (bucket.isDue) return;
  bucket.isDue = true;
  const reported = sleep(ms).then(() => {
    bucket.isDue = false;
    return report();
  });
  // The end of a run closes the way to Redis.
  keepAlive(reported.catch(() => {}));
}

/** The `sync_interval` with which APISIX's users report their figures. */
const INTERVAL_MS = 200;

/**
 * Decides by the isolate's own view, and exchanges counts with Redis once in each interval in which requests came. Redis forgets
 * units admitted above the limit, as a counter of a window does at its end.
 */
const interval: Way = (place) => {
  const report = reporter(place, 0);
  const bucketOf = buckets(freshBucket);
  return async (identity) => {
    const bucket = bucketOf(identity);
    const allowed = take(bucket);
    reportLater(bucket, INTERVAL_MS, () => report(identity, bucket, 0));
    return allowed;
  };
};

/** Reports while a request waits for the answer, after which the view is young for so long. */
function reporterNow(place: Place, youngMs: number) {
  const report = reporter(place, ANY_DEBT);
  return async (identity: string, bucket: Reporting, wanted: 0 | 1 = 1): Promise<boolean> => {
    const allowed = await report(identity, bucket, wanted);
    bucket.staleAtMs = Date.now() + youngMs;
    return allowed;
  };
}

/** The oldest view of Redis by which Unkey decides, and the longest that a count stays untold. */
const PUBLISH_MS = 5_000;

/**
 * Decides by the isolate's own view until it has admitted a share of the limit. That request waits for Redis, and reports all of
 * them. Units admitted above the limit are missing later, as in a window that weighs the one before.
 */
const threshold: Way = (place) => {
  const report = reporterNow(place, PUBLISH_MS);
  const bucketOf = buckets(() => ({ ...freshBucket(), staleAtMs: Date.now() + PUBLISH_MS }));
  return async (identity) => {
    const bucket = bucketOf(identity);
    if (bucket.spent + 1 > THRESHOLD * LIMIT || Date.now() > bucket.staleAtMs) {
      return report(identity, bucket);
    }
    reportLater(bucket, PUBLISH_MS, async () => bucket.spent > 0 && report(identity, bucket, 0));
    return take(bucket);
  };
};

/** The longest that Bucket4j's delayed synchronisation waits, in its own examples. */
const DELAY_MS = 500;

/**
 * Decides by the isolate's own view while few units are unreported and the view is young. Else the request waits for Redis, and
 * reports them. Units admitted above the limit are missing later, as Bucket4j's buckets go into debt.
 */
const tokens: Way = (place) => {
  const report = reporterNow(place, DELAY_MS);
  const bucketOf = buckets(freshBucket);
  return async (identity) => {
    const bucket = bucketOf(identity);
    const isYoung = Date.now() <= bucket.staleAtMs;
    return bucket.spent + 1 <= UNSYNCHRONISED && isYoung ? take(bucket) : report(identity, bucket);
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
