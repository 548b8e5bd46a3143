import type { ReservingLimiter } from "../../src/decide/hold.ts";
import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import type { LimiterSettings } from "../../src/limiter/settings.ts";
import type { StoreError } from "../../src/options/errors.ts";
import { createSlotBreaker } from "../../src/store/cluster/slot-breaker.ts";
import { guardStore } from "../../src/store/guarded-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { dialectAt } from "../../src/store/redis/dialect.ts";
import { redisStore } from "../../src/store/redis/store.ts";

/** The parts of a limiter in an isolate. */
export interface Parts {
  readonly client: RedisClient;
  readonly settings: LimiterSettings;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly dialect: "redis" | "upstash";
  readonly onStoreError: (error: StoreError) => void;
}

/** Puts the product's parts together as the product does. */
export function assemble({
  client,
  settings,
  timeoutMs,
  dialect,
  onStoreError,
}: Parts): ReservingLimiter {
  const { now } = settings;
  return buildLimiter(
    guardStore(
      redisStore(withOwnErrors(client), ALL_SCRIPTS, dialectAt("", dialect)),
      { timeoutMs, now, onStoreError },
      createSlotBreaker(),
    ),
    settings,
    EVERY_FEATURE,
  );
}
