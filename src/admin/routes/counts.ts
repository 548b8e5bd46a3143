import type { Administered } from "../../gateway/administration/administered.ts";
import { metricsReader, type MetricsReader } from "../../metrics/reader.ts";

/** Writes what this isolate has counted, so that it is part of the answer, and says who reads what all have written. */
export type UpToDate = () => Promise<MetricsReader>;

/** `undefined` where nothing is counted. */
export function countsOf({
  metricsRedis,
  prefix,
  flushMetrics,
}: Administered): UpToDate | undefined {
  if (!metricsRedis || !flushMetrics) return undefined;
  const reader = metricsReader(metricsRedis, prefix);
  return async () => {
    await flushMetrics();
    return reader;
  };
}
