import { TIMED_OUT, withTimeout } from "../../runtime/timeout.ts";
import { type GuardedStore } from "../guarded-store.ts";
import type { StoreFacts } from "../store.ts";
import type { RedisClient } from "./client.ts";
import type { RedisStore } from "./store.ts";
import { redisVersion } from "./version.ts";

/** Reports the facts about a Redis store. Redis is asked for its version once, and never during an outage. */
export function inspectRedis(
  client: RedisClient,
  store: RedisStore,
  guard: GuardedStore,
  timeoutMs: number,
): () => Promise<StoreFacts> {
  let version: string | undefined;
  return async function inspect() {
    const { breaker, suspendedSlots } = guard.state();
    if (version === undefined && breaker === "closed") {
      const answer = await withTimeout(timeoutMs, () => redisVersion(client));
      if (answer !== TIMED_OUT) version = answer;
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
