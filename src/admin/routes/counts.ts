import { metricsReader, type MetricsReader } from "../../metrics/reader.ts";
import type { Administered } from "../administered.ts";

/**
 * Writes this isolate's counts, so that they are part of the answer, and returns the reader of all isolates' counts.
 */
export type UpToDate = () => Promise<MetricsReader>;

/** `undefined` without metrics. */
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
