import type { Redis } from "ioredis";

import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import type { MoreScripts } from "../../src/store/redis/script-calls.ts";
import { redisStore } from "../../src/store/redis/store.ts";

/** A real Redis whose scripts read a clock of the test instead of the server's. Keys expire by the server's own. */
export function redisWithClock(redis: Redis, now: () => number): RedisClient {
  return clientWithClock(
    (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
    now,
  );
}

/** The same for a Redis that is reached in another way, such as over HTTP. */
export function clientWithClock(send: RedisClient["eval"], now: () => number): RedisClient {
  return {
    // The scripts that it runs have other names than the product knows them by.
    evalsha: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
    eval(script, keys, args) {
      const time = now();
      const told = `{'${Math.floor(time / 1e6)}','${time % 1e6}'}`;
      const timed = script.replace("redis.call('TIME')", told);
      if (timed === script) throw new Error("the script does not read the clock");
      return send(timed, keys, args);
    },
  };
}

/** A store on a real Redis, whose clock is the test's. */
export const storeWithClock = (
  redis: Redis,
  now: () => number,
  scripts: MoreScripts = ALL_SCRIPTS,
) => redisStore(redisWithClock(redis, now), scripts);
