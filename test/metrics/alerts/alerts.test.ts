import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { expect, test } from "vitest";
import { parse } from "yaml";

import { isInstalled } from "../prometheus.ts";
import { type Fault, FAULTS } from "./faults.ts";
import { testRules } from "./promtool.ts";
import { seriesOf, MINUTES } from "./world.ts";

const FILE = resolve("deploy/prometheus/alerts.yml");

interface Alert {
  readonly alert: string;
  readonly labels: { readonly severity: string };
}

const { groups } = parse(readFileSync(FILE, "utf8")) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};
const severities = new Map(
  groups.flatMap(({ rules }) => rules).map(({ alert, labels }) => [alert, labels.severity]),
);

/** Its series as Prometheus keeps them while it fires. */
function seriesOfAlert(named: string): string {
  const [, name = "", labels] = /^(\w+)(?:\{(.+)\})?$/.exec(named)!;
  const own = [
    `alertname="${name}"`,
    'alertstate="firing"',
    `severity="${severities.get(name)}"`,
    ...(labels === undefined ? [] : [labels]),
  ];
  return `ALERTS{${own.join(", ")}}`;
}

/** Says for each minute which alerts fire in it, and that no other does. */
const expectedOf = (fires: Fault["fires"]) =>
  Array.from({ length: MINUTES }, (_, minute) => ({
    expr: 'ALERTS{alertstate="firing"}',
    eval_time: `${minute}m`,
    exp_samples: Object.entries(fires)
      .filter(([, [from, to]]) => minute >= from && minute <= to)
      .map(([named]) => ({ labels: seriesOfAlert(named), value: 1 })),
  }));

const hasPromtool = isInstalled("promtool");

test.runIf(hasPromtool).for(FAULTS)("the alerts of $name", ({ minute, fires }) => {
  const { isSuccess, text } = testRules({
    rule_files: [FILE],
    evaluation_interval: "1m",
    tests: [
      { interval: "1m", input_series: seriesOf(minute), promql_expr_test: expectedOf(fires) },
    ],
  });
  expect(isSuccess, text.slice(0, 4_000)).toBe(true);
});

test.runIf(hasPromtool)("promtool accepts the alerts, and they say what is wrong", () => {
  const run = (...args: string[]) => execFileSync("promtool", args, { encoding: "utf8" });
  expect(run("check", "rules", FILE)).toContain(`${severities.size} rules found`);
  expect(run("test", "rules", "test/metrics/alerts/texts.yml")).toContain("SUCCESS");
});

test("each alert fires on a fault, and promtool is here to show it", async ({ annotate }) => {
  const fired = FAULTS.flatMap(({ fires }) => Object.keys(fires));
  const names = new Set(fired.map((named) => named.replace(/\{.*/, "")));
  expect([...names].sort()).toEqual([...severities.keys()].sort());
  if (!hasPromtool) {
    const missing =
      "promtool is missing, so that no alert was seen to fire: apt-get install -y --no-install-recommends prometheus";
    console.warn(missing);
    await annotate(missing, "warning");
  }
});
