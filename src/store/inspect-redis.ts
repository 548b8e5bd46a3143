import { type GuardedStore } from "../limiter/guarded-store.ts";
import { LATE, within } from "../limiter/within.ts";
import type { RedisClient } from "./redis-client.ts";
import type { RedisStore } from "./redis-store.ts";
import { redisVersion } from "./redis-version.ts";
import type { StoreFacts } from "./store.ts";

/** Says what a Redis store is and how it stands. Redis is asked once for its version, and not in an outage. */
export function inspectRedis(
  client: RedisClient,
  store: RedisStore,
  guard: GuardedStore,
  budget: number,
): () => Promise<StoreFacts> {
  let version: string | undefined;
  return async function inspect() {
    const { breaker, suspendedSlots } = guard.state();
    if (version === undefined && breaker === "closed") {
      const answer = await within(budget, () => redisVersion(client));
      if (answer !== LATE) version = answer;
    }
    return {
      store: "redis",
      dialect: store.dialect(),
      version: version ?? "unknown",
      breaker,
      ...(suspendedSlots > 0 && { suspendedSlots }),
    };
  };
}
