import type { RegionCount } from "../store/region/region-counts.ts";
import {
  DURATION_BOUNDS_MS,
  ORIGIN_FAILURES,
  STORE_ERRORS,
  UTILIZATION_BOUNDS,
} from "./outcomes.ts";
import type { Distribution, Snapshot } from "./snapshot.ts";

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

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [suffix: string, labels: Labels, value: number];

/** Counts since the beginning, and gauges of now, in the OpenMetrics text format. */
export function openMetricsOf(
  total: Snapshot,
  { policies, ahead, isBreakerOpen, version, isPublished, isRestored }: Gauges,
): string {
  const counter = (name: string, help: string, samples: readonly (readonly [Labels, number])[]) =>
    family(
      name,
      "counter",
      help,
      samples.map(([labels, value]) => ["_total", labels, value]),
    );
  const gauge = (name: string, help: string, samples: readonly (readonly [Labels, number])[]) =>
    family(
      name,
      "gauge",
      help,
      samples.map(([labels, value]) => ["", labels, value]),
    );
  const durationBounds = DURATION_BOUNDS_MS.map((ms) => ms / 1000);
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
    family(
      "tidegate_utilization_ratio",
      "histogram",
      "The share of its limit that a policy had used after a request.",
      [...total.utilization].flatMap(([policy, found]) =>
        histogram(found, UTILIZATION_BOUNDS, { policy }),
      ),
    ),
    family(
      "tidegate_store_duration_seconds",
      "histogram",
      "How long the store took to decide, as the gateway saw it.",
      histogram(total.durations, durationBounds, {}),
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
    "# EOF\n",
  ].join("");
}

/**
 * The counts of every value that a label can have. Prometheus does not see a counter rise that begins with its first failure, so
 * those without one are written as 0.
 */
function eachOf(
  label: string,
  values: readonly string[],
  counts: readonly (readonly [value: string, count: number])[],
): readonly (readonly [Labels, number])[] {
  const found = new Map(counts);
  return values.map((value) => [{ [label]: value }, found.get(value) ?? 0]);
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const unit = name.endsWith("_seconds") ? `# UNIT ${name} seconds\n` : "";
  const lines = samples.map(
    ([suffix, labels, value]) => `${name}${suffix}${labelled(labels)} ${value}\n`,
  );
  return `# TYPE ${name} ${type}\n${unit}# HELP ${name} ${escaped(help)}\n${lines.join("")}`;
}

function histogram(
  { buckets, sum }: Distribution,
  bounds: readonly number[],
  labels: Labels,
): readonly Sample[] {
  let count = 0;
  const samples: Sample[] = bounds.map((bound, i) => {
    count += buckets[i]!;
    // OpenMetrics spells whole numbers so.
    const le = Number.isInteger(bound) ? `${bound}.0` : String(bound);
    return ["_bucket", { ...labels, le }, count];
  });
  count += buckets[bounds.length] ?? 0;
  return [
    ...samples,
    ["_bucket", { ...labels, le: "+Inf" }, count],
    ["_count", labels, count],
    ["_sum", labels, sum],
  ];
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

const ESCAPES: Labels = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => ESCAPES[character]!);
}
