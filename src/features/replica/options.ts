import type { Duration, DurationRange } from "../../options/duration.ts";
import type { RedisClient, RedisEndpoint } from "../../store/redis/client.ts";
import type { DialectName } from "../../store/redis/dialect.ts";

/** The options of a limiter that a replica needs or excludes. */
export interface ReplicaOptions {
  readonly replica?: RedisEndpoint | RedisClient;
  readonly replicaTimeout?: Duration;
  readonly dialect?: DialectName;
  readonly denialCache?: unknown;
  readonly store?: unknown;
}

/** A replica that takes a second to answer is no nearer than any primary. */
export const REPLICA_TIMEOUT_RANGE: DurationRange = { min: "1ms", max: "1s", example: "50ms" };

/** A nearby server answers within a few milliseconds, and within 25 on a new connection. */
export const DEFAULT_REPLICA_TIMEOUT: Duration = "50ms";
