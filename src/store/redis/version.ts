import { StoreError } from "../../errors/errors.ts";
import type { RedisClient } from "./client.ts";

/** From 7.0 on scripts know it by name; older ones ask for it, and where INFO is not to be had there is no answer. */
const SCRIPT =
  "return redis.REDIS_VERSION or string.match(redis.pcall('INFO','server'),'redis_version:(%S+)')";

/** What only a Redis says that lacks a command, or an option of one, that the scripts use. */
const TOO_OLD = /syntax error|unknown redis command|non deterministic/i;

/** The version that a Redis says it is, such as `7.2.4`; `undefined` if it does not say. */
export async function redisVersion(redis: RedisClient): Promise<string | undefined> {
  try {
    // A client answers null where the script returns nothing.
    return ((await redis.eval(SCRIPT, [], [])) as string | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The failure with what to do about it, where it comes from a Redis that is too old. */
export async function withVersion(redis: RedisClient, failure: StoreError): Promise<StoreError> {
  const { code, message } = failure;
  if (!TOO_OLD.test(message)) return failure;
  const version = (await redisVersion(redis)) ?? "unknown";
  return new StoreError(code, `${message} Tidegate needs Redis 6.2 or later; this is ${version}.`);
}
