import { Redis } from "@upstash/redis/cloudflare";

import { LIMIT, RATE, TOKEN } from "../terms.ts";
import type { Place } from "./way.ts";

/** The units that an isolate has counted by itself, and whether it asks for one more. */
export interface Report {
  readonly spent: number;
  readonly wanted: 0 | 1;
}

export interface SharedLevel {
  readonly allowed: boolean;
  /** Units that are left. */
  readonly level: number;
}

/** A bucket in Redis that takes the units that isolates have admitted already, and then decides about one unit more. */
export type SharedBucket = (identity: string, report: Report) => Promise<SharedLevel>;

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

/** @param lowest where a debt ends: 0 forgets units admitted above the limit */
export function sharedBucket({ url, run }: Place, lowest: number): SharedBucket {
  const redis = new Redis({ url, token: TOKEN, enableTelemetry: false });
  const script = redis.createScript<[number, number]>(SCRIPT);
  return async (identity, { spent, wanted }) => {
    const args = [LIMIT, RATE, spent, wanted, lowest].map(String);
    const [allowed, level] = await script.exec([`${run}:${identity}`], args);
    return { allowed: allowed === 1, level: Number(level) };
  };
}
