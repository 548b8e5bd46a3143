import type { KeptValues } from "./kept-values.ts";
import {
  type Counted,
  type MetricsBatch,
  MINUTE_MS,
  type SetKind,
  SETS,
  TOP_KINDS,
} from "./metrics-store.ts";

/** Fields of a minute; and of an hour and the total, which a Durable Object writes as one value of at most 2 MB. */
const MINUTE_FIELDS = 2_000;
const FIELDS = 5_000;

/** Partitions of ten minutes. */
const TOP_PARTITIONS = 200;

/** How long each is kept, in milliseconds; the total stays. */
const KEPT_MS = { minute: 86_400_000, hour: 2_678_400_000, top: 86_400_000, isolate: 7_200_000 };

/** Counts of one answer: some 4 MB of the 32 that a call takes. */
const COUNTS_PER_ANSWER = 30_000;

/** The field of counts that found no room. */
const OVERFLOW = "o";

type Counts = ReadonlyMap<string, number>;

/** An isolate's last batch. */
interface LastBatch {
  readonly number: number;
  readonly atMs: number;
}

/** The metrics of a gateway where one caller at a time writes. */
export interface KeptMetrics {
  add(batch: MetricsBatch): void;
  read(kind: SetKind, sets: readonly string[], names: readonly string[]): readonly Counts[];
}

/**
 * Adds up counts in a Durable Object, or in memory. It does what the scripts of lua/metrics do in Redis, but of the total it tells
 * fewer fields apart.
 *
 * @param now in milliseconds since 1970
 */
export function keptMetrics(values: KeptValues, now: () => number): KeptMetrics {
  const countsOf = (set: string) => new Map(values.get(set) as Counts | undefined);

  function addFields(set: string, room: number, added: Counted): void {
    const counts = countsOf(set);
    // The overflow is beside the fields.
    const fields = room + (counts.has(OVERFLOW) ? 1 : 0);
    let overflow = 0;
    for (const [field, count] of added) {
      if (field === OVERFLOW) overflow += count;
      else if (!counts.has(field) && counts.size >= fields) overflow++;
      else counts.set(field, (counts.get(field) ?? 0) + count);
    }
    if (overflow > 0) counts.set(OVERFLOW, (counts.get(OVERFLOW) ?? 0) + overflow);
    values.put(set, counts);
  }

  function addPartitions(set: string, added: Counted): void {
    if (added.length === 0) return;
    const counts = countsOf(set);
    for (const [member, count] of added) counts.set(member, (counts.get(member) ?? 0) + count);
    const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, TOP_PARTITIONS);
    values.put(set, new Map(most));
  }

  function forget(prefix: string, end: string): void {
    for (const [name] of Array.from(values.list({ prefix, end }))) values.delete(name);
  }

  /** Sets have no alarm: the first write of an hour forgets those that have had their time. */
  function forgetOld(): void {
    const ms = now();
    forget("m:", SETS.minute(ms - KEPT_MS.minute));
    forget("h:", SETS.hour(ms - KEPT_MS.hour));
    for (const kind of TOP_KINDS) forget(`top:${kind}:`, SETS.top(kind, ms - KEPT_MS.top));
    for (const [name, last] of Array.from(values.list({ prefix: "i:" }))) {
      if ((last as LastBatch).atMs < ms - KEPT_MS.isolate) values.delete(name);
    }
  }

  return {
    add({ isolate, number, minutes, tops, atMs }) {
      const last = values.get(SETS.isolate(isolate)) as LastBatch | undefined;
      if (last && last.number >= number) return;
      if (minutes.some(({ minute }) => values.get(SETS.hour(minute * MINUTE_MS)) === undefined)) {
        forgetOld();
      }
      for (const { minute, counts } of minutes) {
        const ms = minute * MINUTE_MS;
        addFields(SETS.minute(ms), MINUTE_FIELDS, counts);
        addFields(SETS.hour(ms), FIELDS, counts);
        addFields(SETS.total, FIELDS, counts);
      }
      for (const kind of TOP_KINDS) addPartitions(SETS.top(kind, atMs), tops[kind]);
      values.put(SETS.isolate(isolate), { number, atMs: now() } satisfies LastBatch);
    },

    read(kind, sets, names) {
      const found: Counts[] = [];
      const wanted = new Set(names);
      let size = 0;
      for (const set of sets) {
        const counts = countsOf(set);
        const read = kind === "named" ? new Map(namedIn(counts, wanted)) : counts;
        size += read.size;
        if (found.length > 0 && size > COUNTS_PER_ANSWER) break;
        found.push(read);
      }
      return found;
    },
  };
}

function namedIn(counts: Counts, names: ReadonlySet<string>): Counted {
  return [...counts].filter(([member]) => names.has(member.split(" ")[1]!));
}
