import { StoreError } from "../../errors/errors.ts";
import type { RedisClient } from "./client.ts";

/** Scripts know their server's version since 7.0; older ones ask INFO, which some services lack. */
const SCRIPT =
  "return redis.REDIS_VERSION or string.match(redis.pcall('INFO','server'),'redis_version:(%S+)')";

/** Errors of a Redis that lacks a command or an option that the scripts use. */
const TOO_OLD = /syntax error|unknown redis command|non deterministic/i;

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

/** Adds the remedy to a failure of a Redis that is too old. */
export async function withVersion(
  redis: RedisClient,
  failure: StoreError,
  key: string,
): Promise<StoreError> {
  const { code, message } = failure;
  if (!TOO_OLD.test(message)) return failure;
  const version = (await redisVersion(redis, key)) ?? "unknown";
  return new StoreError(code, `${message} Tidegate needs Redis 6.2 or later; this is ${version}.`);
}
