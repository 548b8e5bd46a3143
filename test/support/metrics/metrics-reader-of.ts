import { metricsReader, type MetricsReader } from "../../../src/metrics/reader.ts";
import type { RedisAddress } from "../../../src/store/redis/client.ts";
import { redisMetrics } from "../../../src/store/redis/redis-metrics.ts";
import { restSender } from "../../../src/store/redis/rest.ts";

/** Reads the metrics of the gateways with this prefix. */
export function metricsReaderOf(redis: RedisAddress, prefix: string): MetricsReader {
  return metricsReader(redisMetrics(redis, prefix, restSender(redis, 5_000), () => {}));
}
