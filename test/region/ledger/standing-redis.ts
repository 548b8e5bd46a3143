import { createHash } from "node:crypto";

import type { Redis } from "ioredis";

import type { RedisClient } from "../../../src/store/redis/client.ts";

/** A Redis whose clock, by which its keys expire too, is the story's: it has its own part of the keys of a real one. */
export interface StandingRedis {
  readonly client: RedisClient;
  /** Forgets all keys. */
  flush(): Promise<void>;
}

/**
 * Runs before each script: takes the time from the arguments, and drops the keys that have expired by it. The story plays in a time
 * later than the server's, so that no key expires by the server's own clock.
 */
const PREAMBLE = `local MICROS = table.remove(ARGV)
local TOLD = { table.remove(ARGV), MICROS }
local MS = TOLD[1] * 1000 + math.floor(MICROS / 1000)
for _, key in ipairs(KEYS) do
  local ends = redis.call('PEXPIRETIME', key)
  if ends >= 0 and ends <= MS then
    redis.call('DEL', key)
  end
end
`;

/** The scripts as they are sent, by what the product sends. */
const timed = new Map<string, { readonly text: string; readonly digest: string }>();

function withTime(script: string): { readonly text: string; readonly digest: string } {
  const known = timed.get(script);
  if (known) return known;
  const body = script.replace("redis.call('TIME')", "TOLD");
  if (body === script) throw new Error("the script does not read the clock");
  const text = PREAMBLE + body.replaceAll("'PX',", "'PXAT',MS+");
  const made = { text, digest: createHash("sha1").update(text).digest("hex") };
  timed.set(script, made);
  return made;
}

export function standingRedis(redis: Redis, prefix: string, now: () => number): StandingRedis {
  const written = new Set<string>();
  return {
    client: {
      // The scripts that it runs have other names than the product knows them by.
      evalsha: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
      async eval(script, keys, args) {
        const { text, digest } = withTime(script);
        const time = now();
        const own = keys.map((key) => prefix + key);
        for (const key of own) written.add(key);
        const given = [...own, ...args, Math.floor(time / 1e6), time % 1e6];
        return redis
          .evalsha(digest, keys.length, ...given)
          .catch(() => redis.eval(text, keys.length, ...given));
      },
    },
    async flush() {
      if (written.size > 0) await redis.del(...written);
      written.clear();
    },
  };
}
