import { type MadeBy, optionValue, type RedisMakers } from "../../options/option-value.ts";
import { clients } from "./client-adapter.ts";
import type { RedisClient } from "./client.ts";

/**
 * A client of another package, in place of the address of Redis. A client of @upstash/redis only provides its address and token: its
 * retries, batches and middleware do not apply. Any other client needs the two functions of `RedisClient`, `evalsha` and `eval`,
 * and must not send a command twice.
 *
 * @example
 * createLimiter({ redis: client(Redis.fromEnv()), policies })
 */
export function client(redis: RedisClient): MadeBy<RedisMakers> {
  return optionValue("redis", { redis }, { clients });
}

/** A client that is also the value of the option `redis`. */
export function asOption(redis: RedisClient): RedisClient & MadeBy<RedisMakers> {
  return Object.assign(redis, client(redis));
}
