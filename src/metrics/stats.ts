import { REGION_COUNTS } from "../store/region/region-store.ts";
import { DURATION_BOUNDS_MS, UTILIZATION_BOUNDS } from "./outcomes.ts";
import type { Snapshot } from "./snapshot.ts";

/** Counts over time: in each list, one number per moment. */
export interface Stats {
  /** When each span begins, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly requests: readonly Series<"rule" | "outcome" | "reason">[];
  readonly evaluations: readonly Series<"policy" | "mode" | "result">[];
  /** Not cumulative. */
  readonly utilization: readonly (Series<"policy"> & { readonly le: number })[];
  /** Not cumulative; `le` is in seconds, `null` for longer ones. */
  readonly durations: readonly { readonly le: number | null; readonly counts: readonly number[] }[];
  readonly storeErrors: readonly Series<"code">[];
  readonly commands: readonly number[];
  /** Units that isolates leased for later requests, or admitted ahead of the store. */
  readonly ahead: readonly Series<"policy">[];
  /** What regions did, by the name of each count that is above 0. */
  readonly region: readonly Series<"what">[];
  /** Units of optimistic policies that had no room. */
  readonly excess: readonly number[];
  readonly lost: readonly number[];
}

type Series<Names extends string> = Readonly<Record<Names, string>> & {
  readonly counts: readonly number[];
};

/** Puts the counts of several spans side by side. */
export function statsOf(times: readonly number[], spans: readonly Snapshot[]): Stats {
  const policies = [...new Set(spans.flatMap(({ utilization }) => [...utilization.keys()]))];
  return {
    times,
    requests: seriesOf(spans.map(({ requests }) => requests)),
    evaluations: seriesOf(spans.map(({ evaluations }) => evaluations)),
    utilization: policies.flatMap((policy) =>
      UTILIZATION_BOUNDS.map((le, i) => ({
        policy,
        le,
        counts: spans.map(({ utilization }) => utilization.get(policy)?.buckets[i] ?? 0),
      })),
    ),
    durations: [...DURATION_BOUNDS_MS, undefined].map((ms, i) => ({
      le: ms === undefined ? null : ms / 1000,
      counts: spans.map(({ durations }) => durations.buckets[i]!),
    })),
    storeErrors: seriesOf(spans.map(({ storeErrors }) => storeErrors)),
    commands: spans.map(({ commands }) => commands),
    ahead: seriesOf(spans.map(({ ahead }) => ahead)),
    region: seriesOf(spans.map(({ region }) => countedIn(region))),
    excess: spans.map(({ excess }) => excess),
    lost: spans.map(({ lost }) => lost),
  };
}

const countedIn = (region: Snapshot["region"]) =>
  REGION_COUNTS.flatMap((what) => (region[what] > 0 ? [{ what, count: region[what] }] : []));

/** One series for each set of names that any span has. */
function seriesOf<Counted extends { readonly count: number }>(
  spans: readonly (readonly Counted[])[],
): (Omit<Counted, "count"> & { readonly counts: readonly number[] })[] {
  const found = new Map<string, Omit<Counted, "count"> & { readonly counts: number[] }>();
  spans.forEach((span, i) => {
    for (const { count, ...names } of span) {
      const key = JSON.stringify(names);
      const counts = spans.map(() => 0);
      const series = found.get(key) ?? { ...names, counts };
      found.set(key, series);
      series.counts[i]! += count;
    }
  });
  return [...found.values()];
}
