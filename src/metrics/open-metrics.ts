import type { Trial } from "../store/control/trial.ts";
import type { RegionCount } from "../store/region/region-store.ts";
import { counter, eachOf, gauge, histogram } from "./metric-families.ts";
import {
  DURATION_BOUNDS_MS,
  ORIGIN_FAILURES,
  RESULTS,
  STORE_ERRORS,
  TRIAL_SIDES,
  UTILIZATION_BOUNDS,
} from "./outcomes.ts";
import type { Snapshot } from "./snapshot.ts";

export const CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Measured values, as opposed to counts. */
export interface Gauges {
  readonly policies: readonly {
    readonly name: string;
    readonly limit: number;
    readonly windowSeconds: number;
  }[];
  /** The policies with a lease or optimism. */
  readonly ahead: readonly string[];
  readonly isBreakerOpen: boolean;
  /** The version of the live rules in force; 0 for the deployed ones. */
  readonly version: number;
  /** Whether the rules in force are those that are published, as far as the last read shows. */
  readonly isPublished: boolean;
  /** Whether the control store has lost live rules in the last hour, and nobody has published since. */
  readonly isRestored: boolean;
  /** The version that is tried on a part of the clients; `undefined` if there is none. */
  readonly trial?: Pick<Trial, "version" | "percent" | "publishedAtMs"> | undefined;
}

const REGION_FAMILIES: readonly (readonly [name: string, count: RegionCount, help: string])[] = [
  ["tidegate_region_waits", "waits", "Decisions of a region that waited for home."],
  ["tidegate_region_home_calls", "homeCalls", "Calls of regions at home, also in the background."],
  [
    "tidegate_region_unspent_units",
    "unspentUnits",
    "Units that regions took at home and that no request spent in time.",
  ],
  ["tidegate_region_lost_claims", "lostClaims", "Units that an isolate was to bring and did not."],
  ["tidegate_region_failures", "failures", "Decisions that a regional store did not answer."],
];

/** Counts since the beginning, and gauges of now, in the OpenMetrics text format. */
export function openMetricsOf(
  total: Snapshot,
  { policies, ahead, isBreakerOpen, version, isPublished, isRestored, trial }: Gauges,
): string {
  const tried = trial ? [[{ version: String(trial.version) }, trial] as const] : [];
  return [
    counter(
      "tidegate_requests",
      "Requests, each once, by the rule that denied them or else covers them first.",
      total.requests.map(({ count, ...labels }) => [labels, count]),
    ),
    counter(
      "tidegate_policy_evaluations",
      "What each policy said, also where another one denied.",
      total.evaluations.map(({ count, ...labels }) => [labels, count]),
    ),
    histogram(
      "tidegate_utilization_ratio",
      "The share of its limit that a policy had used after a request.",
      UTILIZATION_BOUNDS,
      [...total.utilization].map(([policy, found]) => [{ policy }, found]),
    ),
    histogram(
      "tidegate_store_duration_seconds",
      "How long the store took to decide, as the gateway saw it.",
      DURATION_BOUNDS_MS.map((ms) => ms / 1000),
      [[{}, total.durations]],
    ),
    counter(
      "tidegate_store_errors",
      "Decisions that the store did not answer, by the code of the error.",
      eachOf(
        "code",
        STORE_ERRORS.map((code) => `ERR_STORE_${code}`),
        total.storeErrors.map(({ code, count }) => [code, count]),
      ),
    ),
    counter(
      "tidegate_origin_failures",
      "Requests that the origin did not answer.",
      eachOf(
        "reason",
        ORIGIN_FAILURES,
        total.originFailures.map(({ reason, count }) => [reason, count]),
      ),
    ),
    counter(
      "tidegate_redis_commands",
      "Commands that gateways sent to Redis, and those that their scripts ran.",
      [[{}, total.commands]],
    ),
    counter(
      "tidegate_ahead_units",
      "Units that isolates leased for later requests, or admitted ahead of the store.",
      eachOf(
        "policy",
        [...new Set([...ahead, ...total.ahead.map(({ policy }) => policy)])],
        total.ahead.map(({ policy, count }) => [policy, count]),
      ),
    ),
    counter(
      "tidegate_optimistic_excess_units",
      "Units that isolates admitted ahead of the store, and that a policy had no room for.",
      [[{}, total.excess]],
    ),
    ...REGION_FAMILIES.map(([name, count, help]) =>
      counter(name, help, [[{}, total.region[count]]]),
    ),
    counter(
      "tidegate_notices",
      "Notices that a partition has used a share of a policy's limit, or begins to be denied.",
      total.notices.map(({ count, ...labels }) => [labels, count]),
    ),
    counter(
      "tidegate_trial_decisions",
      "Decisions while a version is tried, about the clients that have it and about the others.",
      TRIAL_SIDES.flatMap((side) =>
        RESULTS.map((result) => [{ side, result }, decisionsOf(total, side, result)] as const),
      ),
    ),
    counter(
      "tidegate_trials_taken_back",
      "Versions that were taken back, because more of their decisions were denials than allowed.",
      [[{}, total.takenBack]],
    ),
    counter("tidegate_metrics_flushes", "How often isolates wrote their counts.", [
      [{}, total.flushes],
    ]),
    counter("tidegate_requests_lost", "Requests that were counted, and given up unwritten.", [
      [{}, total.lost],
    ]),
    counter("tidegate_metrics_overflow", "Counts that had no room in the store.", [
      [{}, total.overflow],
    ]),
    gauge(
      "tidegate_policy_limit",
      "Units that a policy allows a partition.",
      policies.map(({ name, limit }) => [{ policy: name }, limit]),
    ),
    gauge(
      "tidegate_policy_window_seconds",
      "The window of a policy, or how long its bucket refills.",
      policies.map(({ name, windowSeconds }) => [{ policy: name }, windowSeconds]),
    ),
    gauge("tidegate_breaker_open", "1 while the isolate that answers does not ask the store.", [
      [{}, Number(isBreakerOpen)],
    ]),
    gauge(
      "tidegate_config_version",
      "The version of the live rules in force; 0 for the deployed.",
      [[{}, version]],
    ),
    gauge(
      "tidegate_config_error",
      "1 while the isolate that answers enforces other rules than the published ones, or cannot read them.",
      [[{}, Number(!isPublished)]],
    ),
    gauge(
      "tidegate_config_restored",
      "1 for an hour after a gateway put back live rules that the control store had lost, or until the next publication.",
      [[{}, Number(isRestored)]],
    ),
    gauge(
      "tidegate_trial_percent",
      "The part of the clients on which a version is tried.",
      tried.map(([labels, { percent }]) => [labels, percent]),
    ),
    gauge(
      "tidegate_trial_start_time_seconds",
      "When the version that is tried was published.",
      tried.map(([labels, { publishedAtMs }]) => [labels, publishedAtMs / 1000]),
    ),
    "# EOF\n",
  ].join("");
}

function decisionsOf({ trialDecisions }: Snapshot, side: string, result: string): number {
  return trialDecisions.find((each) => each.side === side && each.result === result)?.count ?? 0;
}
