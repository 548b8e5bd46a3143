import { type MadeBy, meaningOf, optionValue, type RedisMakers } from "../options/option-value.ts";
import type { RedisEndpoint } from "../store/redis/client.ts";
import { cluster as feature } from "./cluster-feature.ts";

/**
 * A Redis Cluster, whose masters have a part of the partitions each: one that fails is suspended alone. A decision of several
 * partitions that lie on different masters is one call to each.
 *
 * @param redis `{ url, token }` of its REST API, or what `client()`, `fromIoredis()` or `fromNodeRedis()` returns. Default: from the
 * environment
 * @example
 * createLimiter({ redis: cluster(fromIoredis(new Cluster(nodes, { retryDelayOnFailover: 0 }))), policies })
 */
export function cluster(redis?: RedisEndpoint | MadeBy<RedisMakers>): MadeBy<RedisMakers> {
  const meant = meaningOf(redis);
  const plain = { redis: meant ? meant.plain["redis"] : redis };
  return optionValue("redis", plain, { ...meant?.features, cluster: feature });
}
