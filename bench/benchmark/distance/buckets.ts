import { Redis } from "@upstash/redis/cloudflare";

import { LIMIT, RATE, TOKEN } from "./names.ts";

/** The place of the ways' counts: the Redis behind the distance, and a name that no other run has. */
export interface Place {
  readonly url: string;
  readonly run: string;
}

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

/** The buckets of an isolate, by identity. */
export function buckets<Bucket>(create: () => Bucket): (identity: string) => Bucket {
  const all = new Map<string, Bucket>();
  return (identity) => {
    const bucket = all.get(identity) ?? create();
    all.set(identity, bucket);
    return bucket;
  };
}

/** The units that an isolate has counted by itself, and whether it asks for one more. */
export interface Report {
  readonly spent: number;
  readonly wanted: 0 | 1;
}

const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local limit, rate, spent, wanted, lowest = unpack(ARGV)
local state = redis.call('HMGET', KEYS[1], 'level', 'at')
local passed = now - (tonumber(state[2]) or now)
local level = math.min(limit, (tonumber(state[1]) or limit) + passed * rate)
level = math.max(lowest, level - spent)
local allowed = level >= 1 and 1 or 0
if allowed == 1 then level = level - wanted end
redis.call('HSET', KEYS[1], 'level', tostring(level), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], 60)
return {allowed, tostring(level)}
`;

/** So far that it never ends there. */
export const ANY_DEBT = -1_000_000_000;

/**
 * A bucket in Redis that takes the units that isolates have admitted already, and then decides about one unit more.
 *
 * @param lowest where a debt ends: 0 forgets units admitted above the limit
 */
export function sharedBucket({ url, run }: Place, lowest: number) {
  const redis = new Redis({ url, token: TOKEN, enableTelemetry: false });
  const script = redis.createScript<[number, number]>(SCRIPT);
  return async (identity: string, { spent, wanted }: Report) => {
    const args = [LIMIT, RATE, spent, wanted, lowest].map(String);
    const [allowed, level] = await script.exec([`${run}:${identity}`], args);
    return { allowed: allowed === 1, level: Number(level) };
  };
}

/** Reports an isolate's bucket to the shared one, learns the level there, and resolves with whether the wanted unit was there. */
export function reporter(place: Place, lowest: number) {
  const shared = sharedBucket(place, lowest);
  return async (identity: string, bucket: LocalBucket, wanted: 0 | 1): Promise<boolean> => {
    const { spent } = bucket;
    bucket.spent = 0;
    const { allowed, level } = await shared(identity, { spent, wanted });
    // Units that were taken meanwhile are not in it.
    bucket.level = level - bucket.spent;
    bucket.atMs = Date.now();
    return allowed;
  };
}
