/** A minute, an hour, and the span by which the top partitions are counted, in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const TOP_SPAN_MS = 600_000;

/** The events of partitions that are counted: denials, and little remaining quota. */
export const TOP_KINDS = ["denied", "near"] as const;
export type TopKind = (typeof TOP_KINDS)[number];

/** The keys of metrics. They have one hash tag, so that one script can write them together. */
export interface MetricsKeys {
  /** A hash of all counts since the beginning. */
  readonly total: string;
  /** A hash of the counts of the minute, or the hour, of this moment. */
  minute(ms: number): string;
  hour(ms: number): string;
  /** A sorted set of the partitions that were counted most, of the ten minutes of this moment. */
  top(kind: TopKind, ms: number): string;
  /** An isolate's last write. */
  isolate(id: string): string;
}

export function metricsKeys(prefix: string): MetricsKeys {
  const key = (name: string) => `${prefix}:{#metrics}:${name}`;
  return {
    total: key("total"),
    minute: (ms) => key(`m:${Math.floor(ms / MINUTE_MS)}`),
    hour: (ms) => key(`h:${Math.floor(ms / HOUR_MS)}`),
    top: (kind, ms) => key(`top:${kind}:${Math.floor(ms / TOP_SPAN_MS)}`),
    isolate: (id) => key(`i:${id}`),
  };
}
