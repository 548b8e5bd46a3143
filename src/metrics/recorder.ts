import { type MetricsStore, MINUTE_MS } from "../store/metrics-store.ts";
import { type AnalyticsDataset, analyticsWriter } from "./analytics.ts";
import { batchesOf, MAX_PARTITIONS, namesOf } from "./batch.ts";
import { type Counter, counters } from "./counter.ts";
import { codeOf, FIELD } from "./fields.ts";
import { type Counts, createMinutes, together } from "./minutes.ts";
import { NOTICE_KINDS, NOTICE_RESULTS } from "./outcomes.ts";
import { partitionName } from "./partition-name.ts";
import { createPendingBatches } from "./pending-batches.ts";
import type { PeriodicWriter } from "./periodic-writes.ts";
import { metricsReader, type MetricsReader } from "./reader.ts";
import { createSketch, type Heavy, type Sketches } from "./sketch.ts";
import { createStoreMeter, type StoreMeter } from "./store-meter.ts";
import type { CountedRule, Tally } from "./tally.ts";
import { createTrialMeter, type TrialMeter } from "./trial-meter.ts";

export interface RecorderOptions {
  /** Opens the place of the counts; `onCommands` counts the commands of Redis that writing them takes. */
  readonly openStore: (onCommands: (count: number) => void) => MetricsStore;
  /** How often an isolate writes at most, in milliseconds. */
  readonly flushMs: number;
  /** How partitions are named. */
  readonly identities: "hashed" | "plain";
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** The clock of minutes and hours, in milliseconds since 1970. */
  readonly wallNow: () => number;
  readonly random: () => number;
  /** A dataset that gets the counts, too. */
  readonly analytics?: AnalyticsDataset | undefined;
  /** Called with the first failure of an outage of the store, or of the dataset. */
  readonly onError: (error: Error) => void;
}

/** Counts in this isolate, and writes to a store now and then. */
export interface Recorder extends PeriodicWriter {
  readonly meter: StoreMeter;
  readonly trials: TrialMeter;
  /** Reads the counts that all isolates have written. */
  readonly reader: MetricsReader;
  /** The name of a partition in written counts. */
  nameOf(identity: string): Promise<string>;
  /** How often it writes at most, in milliseconds. */
  readonly flushMs: number;
  /** The counters of one set of rules. Counts of rules that are no longer in force are still written. */
  counterOf(rules: readonly CountedRule[]): Counter;
  /** Counts a notice about a policy. */
  noticed(
    policy: string,
    kind: (typeof NOTICE_KINDS)[number],
    result: (typeof NOTICE_RESULTS)[number],
  ): void;
  /** Writes counts. Never rejects: counts that the store did not confirm are sent again the next time. */
  flush(): Promise<void>;
}

/** The counts up to the beginning of a flush. */
interface Gathered {
  readonly counted: ReadonlyMap<number, Counts>;
  readonly denied: readonly Heavy[];
  readonly near: readonly Heavy[];
  readonly ms: number;
  readonly madeAtMs: number;
}

/** As many as Redis keeps of all time, and as an isolate keeps between two flushes. */
const MAX_FIELDS = 20_000;

/** Counts the requests of a gateway. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { openStore, flushMs, identities, now, wallNow, random, analytics, onError } = options;
  const meter = createStoreMeter(now);
  const trials = createTrialMeter();
  const store = openStore(meter.commands);
  const sketches: Sketches = { denied: createSketch(), near: createSketch() };
  const toAnalytics =
    analytics && analyticsWriter(analytics, (error) => onError(new Error(String(error))));
  /** Whether the last flush failed: an outage is told once. */
  let isFailing = false;
  /** Those that have counted something. */
  let tallies: Tally[] = [];
  const minutes = createMinutes(MAX_FIELDS);
  /** The minute in which they count. */
  let current: number | undefined;
  /** Counts that wait for the names of their partitions. A flush that finds them does not wait for the one that took them. */
  const gathered: Gathered[] = [];
  const pending = createPendingBatches(store, now);
  let lost = 0;
  let last = 0;
  let dueAtMs: number | undefined;
  // Workers have no random numbers before the first request.
  let isolate: string | undefined;
  const counterOf = counters(sketches, (tally) => void tallies.push(tally));

  /** Dates the counts since the last time, if that was in another minute. */
  function endMinute(): void {
    const minute = Math.floor(wallNow() / MINUTE_MS);
    if (minute === current) return;
    if (current !== undefined) dateCounts(current);
    current = minute;
  }

  function dateCounts(minute: number): void {
    const collect = (field: string, count: number) => minutes.add(minute, field, count);
    // Fields that may not fit into a full hash come last.
    meter.drain(collect);
    trials.drain(collect);
    for (const tally of tallies) tally.drain(collect);
    tallies = [];
  }

  function drain(): ReadonlyMap<number, Counts> {
    endMinute();
    dateCounts(current!);
    if (lost > 0) minutes.add(current!, FIELD.lost, lost);
    lost = 0;
    if (!minutes.isEmpty()) minutes.add(current!, FIELD.flushes, 1);
    return minutes.take();
  }

  /** Takes the counts since the last time. */
  function gather(): void {
    const counted = drain();
    toAnalytics?.(together(counted.values()));
    if (counted.size === 0) return;
    isolate ??= crypto.randomUUID();
    const ms = wallNow();
    const denied = sketches.denied.take(MAX_PARTITIONS);
    const near = sketches.near.take(MAX_PARTITIONS);
    gathered.push({ counted, denied, near, ms, madeAtMs: now() });
  }

  async function nameGathered(): Promise<void> {
    for (let next = gathered[0]; next; next = gathered[0]) {
      const { counted, denied, near, ms, madeAtMs } = next;
      const names = await Promise.all([namesOf(denied, identities), namesOf(near, identities)]);
      // Another flush may have named it, too, and gone on.
      if (gathered[0] !== next) continue;
      gathered.shift();
      const tops = { denied: names[0], near: names[1] };
      for (const batch of batchesOf(counted, tops)) {
        pending.add({ ...batch, isolate: isolate!, number: ++last, atMs: ms, madeAtMs });
      }
    }
  }

  async function flush(): Promise<void> {
    dueAtMs = now() + flushMs;
    try {
      lost += pending.giveUpOld();
      await pending.write();
      gather();
      await nameGathered();
      await pending.write();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error as Error);
      isFailing = true;
    }
  }

  return {
    meter,
    trials,
    reader: metricsReader(store),
    flushMs,
    nameOf: (identity) => partitionName(identity, identities),
    counterOf(rules) {
      endMinute();
      return counterOf(rules);
    },

    noticed(policy, kind, result) {
      endMinute();
      const codes = codeOf(NOTICE_KINDS.indexOf(kind)) + codeOf(NOTICE_RESULTS.indexOf(result));
      minutes.add(current!, FIELD.notices + codes + policy, 1);
    },

    isDue() {
      const nowMs = now();
      // The isolates of a new deployment begin together: they shall not all write together.
      dueAtMs ??= nowMs + flushMs * (0.25 + 0.75 * random());
      return nowMs >= dueAtMs;
    },

    writeDue: flush,
    flush,
  };
}
