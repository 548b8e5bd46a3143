import type { RedisClient } from "./client.ts";

/** Scripts know their server's version since 7.0; older ones ask INFO, which some services lack. */
const SCRIPT =
  "return redis.REDIS_VERSION or string.match(redis.pcall('INFO','server'),'redis_version:(%S+)')";

/**
 * The version of a Redis, such as `7.2.4`; `undefined` if it does not report one.
 *
 * @param key not read: some services refuse scripts without a key
 */
export async function redisVersion(redis: RedisClient, key: string): Promise<string | undefined> {
  try {
    // A client returns null if the script returns no value.
    return ((await redis.eval(SCRIPT, [key], [])) as string | null) ?? undefined;
  } catch {
    return undefined;
  }
}
