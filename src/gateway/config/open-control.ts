import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { ControlPlace } from "../../store/control/place.ts";
import { DEFAULT_TIMEOUT_MS } from "../../store/guarded-store.ts";
import type { RedisAddress } from "../../store/redis/client.ts";
import { createRedisClient } from "../../store/redis/endpoint.ts";

const URL_NAME = "CONTROL_REDIS_REST_URL";
const TOKEN_NAME = "CONTROL_REDIS_REST_TOKEN";

/** Some platforms have an empty text for a variable that is not set. */
const isSet = (value: unknown) => value !== undefined && value !== "";

/**
 * The place of the control data: a Redis of its own, or else that of the counts; `undefined` where there is none.
 *
 * @param counts the Redis that counts
 */
export function openControl(
  environment: Environment,
  counts: RedisAddress | undefined,
  faults: Faults,
): ControlPlace | undefined {
  const { [URL_NAME]: url, [TOKEN_NAME]: token } = environment;
  if (!isSet(url) && !isSet(token)) {
    return counts && { kind: "redis", redis: counts, isOwn: false };
  }
  const paths = { url: URL_NAME, token: TOKEN_NAME, areVariables: true };
  const settings = { timeoutMs: DEFAULT_TIMEOUT_MS };
  if (!createRedisClient(url, token, paths, settings, faults)) return undefined;
  const redis = { url: url as string, token: token as string };
  return { kind: "redis", redis, isOwn: redis.url !== counts?.url };
}
