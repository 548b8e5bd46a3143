/** A minute, an hour, and the span by which the top partitions are counted, in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const TOP_SPAN_MS = 600_000;

/** The events of partitions that are counted: denials, and little remaining quota. */
export const TOP_KINDS = ["denied", "near"] as const;
export type TopKind = (typeof TOP_KINDS)[number];

/** Counts by their names, in order. */
export type Counted = readonly (readonly [name: string, count: number])[];

/** Counts of one isolate on their way to the store. */
export interface MetricsBatch {
  readonly isolate: string;
  /** From 1 in each isolate: a batch that was added before changes nothing, so that it may be sent again. */
  readonly number: number;
  /** By the minutes in which they happened, from 1970. */
  readonly minutes: readonly { readonly minute: number; readonly counts: Counted }[];
  /** The partitions that were counted most up to `atMs`, a time of 1970: a policy, a space, a name, and the end of its key if it has one. */
  readonly tops: Readonly<Record<TopKind, Counted>>;
  readonly atMs: number;
}

/** The names of the sets in which counts are added up. */
export interface MetricsSets {
  /** All counts since the beginning. */
  readonly total: string;
  /** The counts of the minute, or the hour, of this moment. */
  minute(ms: number): string;
  hour(ms: number): string;
  /** The partitions that were counted most in the ten minutes of this moment. */
  top(kind: TopKind, ms: number): string;
  /** An isolate's last batch. */
  isolate(id: string): string;
}

/** The sets by their names within one gateway's metrics. */
export const SETS: MetricsSets = {
  total: "total",
  minute: (ms) => `m:${Math.floor(ms / MINUTE_MS)}`,
  hour: (ms) => `h:${Math.floor(ms / HOUR_MS)}`,
  top: (kind, ms) => `top:${kind}:${Math.floor(ms / TOP_SPAN_MS)}`,
  isolate: (id) => `i:${id}`,
};

/** The kind of a set: counts by fields, or by partitions, or only those of partitions with these names. */
export type SetKind = "hashes" | "top" | "named";

/** Holds the counts of all isolates of a gateway. Every failure is a StoreError. */
export interface MetricsStore {
  add(batch: MetricsBatch): Promise<void>;
  /**
   * Reads sets: the first, and as many of the next ones as one answer has room for.
   *
   * @param names of the partitions that are read of "named"
   */
  read(
    kind: SetKind,
    sets: readonly string[],
    names: readonly string[],
  ): Promise<readonly ReadonlyMap<string, number>[]>;
}
