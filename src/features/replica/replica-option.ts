import type { Duration } from "../../options/duration.ts";
import { meaningOf, optionValue, type OptionValue } from "../../options/option-value.ts";
import type { RedisEndpoint } from "../../store/redis/client.ts";
import { replica as feature } from "./feature.ts";

/** When a decision goes on without its replica. */
export interface ReplicaOptions {
  /**
   * The time that a decision waits for the replica; then Redis decides. After several failures in a row, the replica is asked only
   * once per second. Range: `"1ms"` to `"1s"`. Default: `"50ms"`.
   */
  readonly timeout?: Duration;
}

/**
 * A replica near the isolate, where Redis itself is far. For a global database of Upstash, whose nearest region answers reads, it is
 * the address of `redis` once more. A request of a client that this isolate does not know is then first looked up there. The
 * replica can deny it (`reason` `replica-denial`), which spares the long trip; only Redis admits. Needs Redis and `denialCache`;
 * `refundable` policies, `concurrency` and policies with a lease take no part.
 *
 * @param redis `{ url, token }` of its REST API, or what `client()` returns
 * @example
 * createLimiter({ redis: { url, token }, replica: replica({ url: nearbyUrl, token }), policies })
 */
export function replica(
  redis: RedisEndpoint | OptionValue<"redis">,
  { timeout }: ReplicaOptions = {},
): OptionValue<"replica"> {
  const meant = meaningOf(redis);
  const plain = {
    replica: meant ? meant.plain["redis"] : redis,
    ...(timeout !== undefined && { replicaTimeout: timeout }),
  };
  return optionValue("replica", plain, { ...meant?.features, replica: feature });
}
