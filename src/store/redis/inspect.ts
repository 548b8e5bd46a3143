import { TIMED_OUT, withTimeout } from "../../runtime/time.ts";
import type { GuardedStore } from "../guarded-store.ts";
import type { StoreFacts } from "../store.ts";
import type { RedisClient } from "./client.ts";
import type { Dialect } from "./dialect.ts";

/** A key of no identity: a partition key that begins with `#` has 43 more characters. */
const KEY = "tg:{#version}";

/** Reports the facts about a Redis store. It asks Redis for its version once, and never during an outage. */
export function inspectRedis(
  client: RedisClient,
  dialect: Dialect,
  guard: GuardedStore,
  timeoutMs: number,
): () => Promise<StoreFacts> {
  let version: string | undefined;
  return async function inspect() {
    const { breaker, suspendedSlots } = guard.state();
    if (version === undefined && breaker === "closed") {
      const answer = await withTimeout(timeoutMs, () => redisVersion(client, KEY));
      if (answer !== TIMED_OUT) version = answer;
    }
    return {
      store: "redis",
      dialect: dialect.firstLine === "" ? "redis" : "upstash",
      version: version ?? "unknown",
      breaker,
      ...(suspendedSlots > 0 && { suspendedSlots }),
    };
  };
}

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
