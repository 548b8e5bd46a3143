import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { labelOf } from "../../src/metrics/fields.ts";
import { openMetricsOf } from "../../src/metrics/open-metrics.ts";
import { snapshotOf } from "../../src/metrics/snapshot.ts";
import { parseOpenMetrics } from "./parse-open-metrics.ts";
import { isInstalled } from "./prometheus.ts";

const GAUGES = {
  policies: [{ name: "api", limit: 5, windowSeconds: 60 }],
  isBreakerOpen: false,
  isPublished: true,
  isRestored: false,
  ahead: ["idle"],
  version: 7,
  trial: { version: 8, percent: 10, publishedAtMs: 1_900_000_000_500 },
};

const HOSTILE = ['"', "\\", "\n", "\r", "\u0000", "\u2028", "\ud800", "<script>", '"} 1\n# EOF'];

const textOf = (fields: readonly (readonly [string, number])[]) =>
  openMetricsOf(snapshotOf(new Map(fields)), GAUGES);

test("counts are written in OpenMetrics", () => {
  const text = textOf([
    ["raGET /api/*", 12],
    ["rdGET /api/*", 3],
    ["paaapi", 12],
    ["uaapi", 4],
    ["udapi", 8],
    ["vapi", 9250],
    ["sa", 1],
    ["sj", 2],
    ["t", 2_500_000],
    ["ea", 1],
    ["c", 20],
    ["x", 3],
    ["ha", 8],
    ["hb", 5],
    ["hc", 4],
    ["hd", 2],
    ["he", 1],
    ["aapi", 7],
    ["naaapi", 2],
    ["nbbapi", 1],
    ["daa", 90],
    ["dab", 10],
    ["dba", 900],
    ["b", 1],
  ]);
  const { samples, families } = parseOpenMetrics(text);
  const bucket = (le: string) => `tidegate_utilization_ratio_bucket{policy="api",le="${le}"}`;
  expect(Object.fromEntries(samples)).toMatchObject({
    'tidegate_requests_total{rule="GET /api/*",outcome="allowed",reason="allowed"}': 12,
    'tidegate_requests_total{rule="GET /api/*",outcome="denied",reason="cached-denial"}': 3,
    'tidegate_policy_evaluations_total{policy="api",mode="enforce",result="allowed"}': 12,
    [bucket("0.25")]: 4,
    [bucket("0.5")]: 4,
    [bucket("0.75")]: 4,
    [bucket("1.0")]: 12,
    [bucket("+Inf")]: 12,
    'tidegate_utilization_ratio_sum{policy="api"}': 9.25,
    'tidegate_store_duration_seconds_bucket{le="1.0"}': 1,
    'tidegate_store_duration_seconds_bucket{le="+Inf"}': 3,
    tidegate_store_duration_seconds_sum: 2.5,
    'tidegate_store_errors_total{code="ERR_STORE_TIMEOUT"}': 1,
    tidegate_redis_commands_total: 20,
    tidegate_optimistic_excess_units_total: 3,
    tidegate_region_waits_total: 8,
    tidegate_region_home_calls_total: 5,
    tidegate_region_unspent_units_total: 4,
    tidegate_region_lost_claims_total: 2,
    tidegate_region_failures_total: 1,
    'tidegate_ahead_units_total{policy="api"}': 7,
    // So that its rise can be seen from the first on.
    'tidegate_ahead_units_total{policy="idle"}': 0,
    'tidegate_notices_total{policy="api",kind="reached",result="told"}': 2,
    'tidegate_notices_total{policy="api",kind="denied",result="failed"}': 1,
    'tidegate_policy_limit{policy="api"}': 5,
    'tidegate_policy_window_seconds{policy="api"}': 60,
    tidegate_breaker_open: 0,
    tidegate_config_version: 7,
    tidegate_config_error: 0,
    tidegate_config_restored: 0,
    'tidegate_trial_decisions_total{side="tried",result="allowed"}': 90,
    'tidegate_trial_decisions_total{side="tried",result="denied"}': 10,
    'tidegate_trial_decisions_total{side="others",result="allowed"}': 900,
    'tidegate_trial_decisions_total{side="others",result="denied"}': 0,
    tidegate_trials_taken_back_total: 1,
    'tidegate_trial_percent{version="8"}': 10,
    'tidegate_trial_start_time_seconds{version="8"}': 1_900_000_000.5,
  });
  expect(families.size).toBe(28);
});

test("without a trial no series names a version", () => {
  const text = openMetricsOf(snapshotOf(new Map()), { ...GAUGES, trial: undefined });
  const names = [...parseOpenMetrics(text).samples.keys()];
  expect(names.filter((name) => name.includes("version="))).toEqual([]);
  expect(names).toContain("tidegate_trials_taken_back_total");
});

test.each(HOSTILE)("a rule with %j in its path is a label, and nothing else", (hostile) => {
  const label = labelOf(["GET"], `/api/${hostile}`);
  const { samples } = parseOpenMetrics(textOf([[`ra${label}`, 2]]));
  const requests = [...samples].filter(([name]) => name.startsWith("tidegate_requests_total"));
  expect(requests).toHaveLength(1);
  expect(requests[0]![1]).toBe(2);
  expect(label.isWellFormed()).toBe(true);
});

test("a label stays short, and no character is cut in two", () => {
  const label = labelOf(["GET"], `/${"😀".repeat(200)}`);
  expect([...label]).toHaveLength(120);
  expect(label.isWellFormed()).toBe(true);
});

test("fields that this version does not write are left out", () => {
  const { requests, evaluations, trialDecisions } = snapshotOf(
    new Map([
      ["", 1],
      ["r", 1],
      ["rzGET /x", 1],
      ["pzaapi", 1],
      ["paz", 1],
      ["uzapi", 1],
      ["sz", 1],
      ["ez", 1],
      ["dza", 1],
      ["daz", 1],
      ["toString", 1],
    ]),
  );
  expect([requests, evaluations, trialDecisions]).toEqual([[], [], []]);
});

test.runIf(isInstalled("promtool"))("promtool finds nothing wrong with the metrics", () => {
  const text = textOf([
    ...HOSTILE.map((hostile) => [`ra${labelOf(["GET"], `/${hostile}`)}`, 1] as const),
    ["paaapi", 12],
    ["udapi", 8],
    ["vapi", 8000],
    ["sa", 1],
    ["ea", 1],
  ]);
  // It reads the older format, which has no units and no end, and counters with their suffix.
  const older = text.replace("# EOF\n", "").replaceAll(/^# UNIT .*\n/gm, "");
  const counters = [...older.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name!);
  const input = counters.reduce(
    (all, name) =>
      all.replaceAll(new RegExp(`^# (TYPE|HELP) ${name} `, "gm"), `# $1 ${name}_total `),
    older,
  );
  expect(execFileSync("promtool", ["check", "metrics"], { input, encoding: "utf8" })).toBe("");
});
