import { REGION_COUNTS, type RegionCount } from "../store/region/region-store.ts";
import { codeOf, FIELD, positionOf } from "./fields.ts";
import {
  DURATION_BOUNDS_MS,
  MODES,
  NOTICE_KINDS,
  NOTICE_RESULTS,
  ORIGIN_FAILURES,
  OUTCOMES,
  RESULTS,
  STORE_ERRORS,
  TRIAL_SIDES,
  UTILIZATION_BOUNDS,
} from "./outcomes.ts";

/** Counts by bucket, not cumulative, and the sum of the counted values. */
export interface Distribution {
  readonly buckets: number[];
  sum: number;
}

/** The counts in a hash. */
export interface Snapshot {
  readonly requests: readonly {
    readonly rule: string;
    readonly outcome: string;
    readonly reason: string;
    readonly count: number;
  }[];
  readonly evaluations: readonly {
    readonly policy: string;
    readonly mode: string;
    readonly result: string;
    readonly count: number;
  }[];
  /** By policy. */
  readonly utilization: ReadonlyMap<string, Distribution>;
  /** In seconds. */
  readonly durations: Distribution;
  readonly storeErrors: readonly { readonly code: string; readonly count: number }[];
  /** Requests that the origin did not answer. */
  readonly originFailures: readonly { readonly reason: string; readonly count: number }[];
  readonly notices: readonly {
    readonly policy: string;
    readonly kind: string;
    readonly result: string;
    readonly count: number;
  }[];
  /** Decisions while a version was tried, about the clients that had it and about the others. */
  readonly trialDecisions: readonly {
    readonly side: string;
    readonly result: string;
    readonly count: number;
  }[];
  /** Versions that were taken back because of their denials. */
  readonly takenBack: number;
  /** Units that isolates leased for later requests, or admitted ahead of the store, by policy. */
  readonly ahead: readonly { readonly policy: string; readonly count: number }[];
  /** The counts of regions. */
  readonly region: Readonly<Record<RegionCount, number>>;
  readonly commands: number;
  /** Units that isolates admitted ahead of the store, and that a policy had no room for. */
  readonly excess: number;
  readonly flushes: number;
  readonly lost: number;
  readonly overflow: number;
}

/** Reads the fields of a hash, and ignores invalid ones. */
export function snapshotOf(fields: ReadonlyMap<string, number>): Snapshot {
  const requests: Snapshot["requests"][number][] = [];
  const evaluations: Snapshot["evaluations"][number][] = [];
  const storeErrors: Snapshot["storeErrors"][number][] = [];
  const originFailures: Snapshot["originFailures"][number][] = [];
  const notices: Snapshot["notices"][number][] = [];
  const trialDecisions: Snapshot["trialDecisions"][number][] = [];
  const ahead: Snapshot["ahead"][number][] = [];
  const utilization = new Map<string, Distribution>();
  const durations = distribution(DURATION_BOUNDS_MS.length + 1);

  function utilizationOf(policy: string): Distribution {
    const known = utilization.get(policy) ?? distribution(UTILIZATION_BOUNDS.length);
    utilization.set(policy, known);
    return known;
  }

  for (const [field, count] of fields) {
    const first = positionOf(field[1]);
    if (field[0] === FIELD.requests && OUTCOMES[first]) {
      requests.push({ rule: field.slice(2), ...OUTCOMES[first], count });
    } else if (field[0] === FIELD.evaluations) {
      const [mode, result] = [MODES[first], RESULTS[positionOf(field[2])]];
      if (mode && result) evaluations.push({ policy: field.slice(3), mode, result, count });
    } else if (field[0] === FIELD.utilization) {
      put(utilizationOf(field.slice(2)), first, count);
    } else if (field[0] === FIELD.utilizationSum) {
      utilizationOf(field.slice(1)).sum += count / 1000;
    } else if (field[0] === FIELD.durations) {
      put(durations, first, count);
    } else if (field[0] === FIELD.storeErrors && STORE_ERRORS[first]) {
      storeErrors.push({ code: `ERR_STORE_${STORE_ERRORS[first]}`, count });
    } else if (field[0] === FIELD.originFailures && ORIGIN_FAILURES[first]) {
      originFailures.push({ reason: ORIGIN_FAILURES[first], count });
    } else if (field[0] === FIELD.ahead) {
      ahead.push({ policy: field.slice(1), count });
    } else if (field[0] === FIELD.notices) {
      const [kind, result] = [NOTICE_KINDS[first], NOTICE_RESULTS[positionOf(field[2])]];
      if (kind && result) notices.push({ policy: field.slice(3), kind, result, count });
    } else if (field[0] === FIELD.trialDecisions) {
      const [side, result] = [TRIAL_SIDES[first], RESULTS[positionOf(field[2])]];
      if (side && result) trialDecisions.push({ side, result, count });
    }
  }
  durations.sum = (fields.get(FIELD.durationSum) ?? 0) / 1e6;
  const one = (field: string) => fields.get(field) ?? 0;
  return {
    requests,
    evaluations,
    utilization,
    durations,
    storeErrors,
    originFailures,
    notices,
    trialDecisions,
    takenBack: one(FIELD.takenBack),
    ahead,
    region: Object.fromEntries(
      REGION_COUNTS.map((count, i) => [count, one(FIELD.region + codeOf(i))]),
    ) as Snapshot["region"],
    commands: one(FIELD.commands),
    excess: one(FIELD.excess),
    flushes: one(FIELD.flushes),
    lost: one(FIELD.lost),
    overflow: one(FIELD.overflow),
  };
}

function distribution(length: number): Distribution {
  return { buckets: Array.from<number>({ length }).fill(0), sum: 0 };
}

function put({ buckets }: Distribution, place: number, count: number): void {
  if (place >= 0 && place < buckets.length) buckets[place]! += count;
}
