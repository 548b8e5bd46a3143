import { createHash } from "node:crypto";

import { Redis } from "ioredis";

import { startRedisServer } from "../../../scripts/support/redis-server.ts";
import type { RedisClient } from "../../../src/store/redis/client.ts";

/** A Redis of its own, whose clock stands still until its caller moves it. */
export interface StandingRedis {
  client(now: () => number): RedisClient;
  /** Forgets all keys and what it has counted. */
  clear(): Promise<void>;
  /** Calls of scripts, and the commands that a provider bills for them: those calls, and what the scripts call. */
  count(): Promise<{ calls: number; commands: number }>;
  close(): Promise<void>;
}

/** The commands that this file sends itself. */
const OWN = new Set(["config|resetstat", "flushall", "info", "script|load", "ping"]);

export async function startStandingRedis(): Promise<StandingRedis> {
  const server = await startRedisServer();
  const redis = new Redis(server.url, { disableClientInfo: true, enableReadyCheck: false });
  const digests = new Map<string, string>();

  async function load(script: string): Promise<string> {
    // The time is two more arguments, so that a script has one text.
    const timed = script
      .replace("redis.call('TIME')", "{ARGV[#ARGV-1],ARGV[#ARGV]}")
      // Keys expire by the server's own clock, which runs slower than the caller's.
      .replace("'PX',", "'PX',1e6+");
    if (timed === script) throw new Error("the script does not read the clock");
    await redis.script("LOAD", timed);
    const digest = createHash("sha1").update(timed).digest("hex");
    digests.set(script, digest);
    return digest;
  }

  return {
    client: (now) => ({
      // The scripts that it runs have other names than the product knows them by.
      evalsha: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
      async eval(script, keys, args) {
        const time = now();
        const told = [Math.floor(time / 1e6), time % 1e6];
        const digest = digests.get(script) ?? (await load(script));
        return redis.evalsha(digest, keys.length, ...keys, ...args, ...told);
      },
    }),

    async clear() {
      await redis.flushall();
      await redis.config("RESETSTAT");
    },

    async count() {
      const stats = await redis.info("commandstats");
      let [calls, commands] = [0, 0];
      for (const [, name, times] of stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)) {
        if (OWN.has(name!)) continue;
        // Each script asks for the time, which the caller's took the place of.
        commands += Number(times) * (name === "evalsha" ? 2 : 1);
        if (name === "evalsha") calls += Number(times);
      }
      return { calls, commands };
    },

    async close() {
      redis.on("error", () => {});
      await server.stop();
      redis.disconnect();
    },
  };
}
