import {
  HOUR_MS,
  type MetricsStore,
  MINUTE_MS,
  type SetKind,
  SETS,
  TOP_KINDS,
  TOP_SPAN_MS,
  type TopKind,
} from "../store/metrics-store.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";
import { type Stats, statsOf } from "./stats.ts";

/** A partition, and how often a policy counted it at least. */
export interface TopPartition {
  readonly policy: string;
  readonly partition: string;
  readonly count: number;
  /** The last characters of its key. */
  readonly hint?: string;
}

/** A partition, and how often a policy counted it at least in each of some spans. */
export interface CountedPartition {
  readonly policy: string;
  readonly partition: string;
  readonly denied: readonly number[];
  readonly near: readonly number[];
}

/** A span of time, in milliseconds since 1970; minutes and hours that begin in it are read. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads the counts that isolates have written. Every failure is a StoreError. */
export interface MetricsReader {
  /** The counts since the beginning. */
  total(): Promise<Snapshot>;
  stats(step: "minute" | "hour", span: Span): Promise<Stats>;
  /** The partitions that were counted most, most first. */
  top(kind: TopKind, span: Span, most: number): Promise<readonly TopPartition[]>;
  /** How often partitions with these names were counted at least, by the ten minutes of a span. */
  topCounts(
    names: readonly string[],
    span: Span,
  ): Promise<{
    readonly times: readonly number[];
    readonly partitions: readonly CountedPartition[];
  }>;
}

/** Sets that one call asks for: more would keep Redis from its decisions. */
const SETS_PER_CALL = 60;

export function metricsReader(store: MetricsStore): MetricsReader {
  /** @param names of the partitions that are read of "named" */
  async function read(
    kind: SetKind,
    wanted: readonly string[],
    names: readonly string[] = [],
  ): Promise<ReadonlyMap<string, number>[]> {
    const found: ReadonlyMap<string, number>[] = [];
    while (found.length < wanted.length) {
      const some = wanted.slice(found.length, found.length + SETS_PER_CALL);
      found.push(...(await store.read(kind, some, names)));
    }
    return found;
  }

  return {
    async total() {
      const [fields] = await read("hashes", [SETS.total]);
      return snapshotOf(fields!);
    },

    async stats(step, span) {
      const times = timesOf(span, step === "minute" ? MINUTE_MS : HOUR_MS);
      const hashes = await read("hashes", times.map(SETS[step]));
      return statsOf(times, hashes.map(snapshotOf));
    },

    async top(kind, span, most) {
      const times = timesOf(span, TOP_SPAN_MS);
      const sets = await read(
        "top",
        times.map((ms) => SETS.top(kind, ms)),
      );
      const partitions = new Map<string, TopPartition>();
      for (const [member, count] of sets.flatMap((set) => Array.from(set))) {
        const [policy = "", partition = "", end] = member.split(" ");
        const key = `${policy} ${partition}`;
        const { count: before = 0, hint = end } = partitions.get(key) ?? {};
        const found = { policy, partition, count: before + count };
        partitions.set(key, hint === undefined ? found : { ...found, hint });
      }
      return [...partitions.values()].sort((one, other) => other.count - one.count).slice(0, most);
    },

    async topCounts(names, span) {
      const times = timesOf(span, TOP_SPAN_MS);
      const asked = TOP_KINDS.flatMap((kind) => times.map((ms) => SETS.top(kind, ms)));
      const sets = await read("named", asked, names);
      const named = sets.map(byName);
      const members = [...new Set(named.flatMap((set) => [...set.keys()]))];
      const of = (member: string, place: number) =>
        times.map((_, i) => named[place * times.length + i]!.get(member) ?? 0);
      const partitions = members.map((member) => {
        const [policy = "", partition = ""] = member.split(" ");
        return { policy, partition, denied: of(member, 0), near: of(member, 1) };
      });
      return { times, partitions };
    },
  };
}

/** When the spans begin that a span of time touches. */
function timesOf({ fromMs, toMs }: Span, stepMs: number): number[] {
  const first = Math.floor(fromMs / stepMs) * stepMs;
  const length = Math.max(0, Math.ceil((toMs - first) / stepMs));
  return Array.from({ length }, (_, i) => first + i * stepMs);
}

/** Counts without the ends of keys, which isolates of an older version do not write. */
function byName(set: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [member, count] of set) {
    const name = member.split(" ", 2).join(" ");
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}
