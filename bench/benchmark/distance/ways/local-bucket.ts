import { LIMIT, RATE } from "../terms.ts";

/** An isolate's own view of a bucket. */
export interface LocalBucket {
  level: number;
  /** The time of `level`. */
  atMs: number;
  /** Units that were taken from it, and that Redis does not know. */
  spent: number;
}

/** A full bucket, as each isolate supposes of an identity that it does not know. */
export function fullBucket(): LocalBucket {
  return { level: LIMIT, atMs: Date.now(), spent: 0 };
}

/** Takes a unit if there is one. */
export function take(bucket: LocalBucket): boolean {
  const nowMs = Date.now();
  bucket.level = Math.min(LIMIT, bucket.level + ((nowMs - bucket.atMs) / 1000) * RATE);
  bucket.atMs = nowMs;
  if (bucket.level < 1) return false;
  bucket.level--;
  bucket.spent++;
  return true;
}

/** Hands over the units to report to Redis. */
export function takeSpent(bucket: LocalBucket): number {
  const { spent } = bucket;
  bucket.spent = 0;
  return spent;
}

/** Takes over the level that Redis reports. Units that were taken meanwhile are not in it. */
export function learn(bucket: LocalBucket, level: number): void {
  bucket.level = level - bucket.spent;
  bucket.atMs = Date.now();
}

/** The buckets of an isolate, by identity. */
export function buckets<Bucket>(create: () => Bucket): (identity: string) => Bucket {
  const all = new Map<string, Bucket>();
  return (identity) => {
    const bucket = all.get(identity) ?? create();
    all.set(identity, bucket);
    return bucket;
  };
}
