import { TIMED_OUT, withTimeout } from "../../runtime/time.ts";
import type { GuardedStore } from "../guarded-store.ts";
import type { StoreFacts } from "../store.ts";
import type { RedisClient } from "./client.ts";
import type { Dialect } from "./dialect.ts";
import { redisVersion } from "./version.ts";

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
