import type { MetricsReader } from "../../metrics/reader.ts";
import type { Administered } from "../administered.ts";

/**
 * Writes this isolate's counts, so that they are part of the answer, and returns the reader of all isolates' counts.
 */
export type UpToDate = () => Promise<MetricsReader>;

/** `undefined` without metrics. */
export function countsOf({ metrics }: Administered): UpToDate | undefined {
  if (!metrics) return undefined;
  return async () => {
    await metrics.flush();
    return metrics.reader;
  };
}
