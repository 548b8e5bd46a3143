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
  version: 7,
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
    ["naaapi", 2],
    ["nbbapi", 1],
  ]);
  const { samples, families } = parseOpenMetrics(text);
  expect(
    samples.get('tidegate_requests_total{rule="GET /api/*",outcome="allowed",reason="allowed"}'),
  ).toBe(12);
  expect(
    samples.get(
      'tidegate_requests_total{rule="GET /api/*",outcome="denied",reason="cached-denial"}',
    ),
  ).toBe(3);
  expect(
    samples.get('tidegate_policy_evaluations_total{policy="api",mode="enforce",result="allowed"}'),
  ).toBe(12);
  expect(
    ["0.25", "0.5", "0.75", "1.0", "+Inf"].map((le) =>
      samples.get(`tidegate_utilization_ratio_bucket{policy="api",le="${le}"}`),
    ),
  ).toEqual([4, 4, 4, 12, 12]);
  expect(samples.get('tidegate_utilization_ratio_sum{policy="api"}')).toBe(9.25);
  expect(samples.get('tidegate_store_duration_seconds_bucket{le="1.0"}')).toBe(1);
  expect(samples.get('tidegate_store_duration_seconds_bucket{le="+Inf"}')).toBe(3);
  expect(samples.get("tidegate_store_duration_seconds_sum")).toBe(2.5);
  expect(samples.get('tidegate_store_errors_total{code="ERR_STORE_TIMEOUT"}')).toBe(1);
  expect(samples.get("tidegate_redis_commands_total")).toBe(20);
  expect(samples.get("tidegate_optimistic_excess_units_total")).toBe(3);
  expect(samples.get('tidegate_notices_total{policy="api",kind="reached",result="told"}')).toBe(2);
  expect(samples.get('tidegate_notices_total{policy="api",kind="denied",result="failed"}')).toBe(1);
  expect(samples.get('tidegate_policy_limit{policy="api"}')).toBe(5);
  expect(samples.get('tidegate_policy_window_seconds{policy="api"}')).toBe(60);
  expect(samples.get("tidegate_breaker_open")).toBe(0);
  expect(samples.get("tidegate_config_version")).toBe(7);
  expect(samples.get("tidegate_config_error")).toBe(0);
  expect(families.size).toBe(17);
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
  const { requests, evaluations } = snapshotOf(
    new Map([
      ["", 1],
      ["r", 1],
      ["rzGET /x", 1],
      ["pzaapi", 1],
      ["paz", 1],
      ["uzapi", 1],
      ["sz", 1],
      ["ez", 1],
      ["toString", 1],
    ]),
  );
  expect([requests, evaluations]).toEqual([[], []]);
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
