import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { answerAdmin } from "../../src/admin/admin.ts";
import { openMetricsOf } from "../../src/metrics/open-metrics.ts";
import { snapshotOf } from "../../src/metrics/snapshot.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { listenTo } from "../support/gateway/serve.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";
import { parseOpenMetrics } from "./parse-open-metrics.ts";
import { isInstalled, startPrometheus } from "./prometheus.ts";

const hasPrometheus = isInstalled("prometheus");

test.runIf(hasPrometheus)("a Prometheus scrapes every request that was sent", async () => {
  const hostile = '/a"b<script>\u0001/*';
  const gateways = await meteredGateways([
    { method: "GET", path: "/api/*", policies: [quota("api", 5)] },
    { path: hostile, policies: [quota("hostile", 5)] },
  ]);
  const { administered, ask } = gateways.open();
  for (let i = 0; i < 12; i++) await ask("/api/x");
  await ask("/a%22b%3Cscript%3E%01/x");
  for (let i = 0; i < 3; i++) await ask("/other");
  const answer = answerAdmin(administered);
  const server = await startOrigin(listenTo((request) => answer(request, undefined)));
  const query = await startPrometheus(`${server.url}/_tidegate/api/v1/metrics`, ADMIN_TOKEN);

  expect(await query("up == 1")).not.toEqual({});
  expect(await query("sum by (outcome) (tidegate_requests_total)")).toEqual({
    '{"outcome":"allowed"}': 5,
    '{"outcome":"denied"}': 7,
    '{"outcome":"passed"}': 3,
    '{"outcome":"refused"}': 1,
  });
  expect(await query("sum by (policy) (tidegate_utilization_ratio_count)")).toEqual({
    '{"policy":"api"}': 12,
  });
  expect(await query("sum by (policy) (tidegate_policy_limit)")).toEqual({
    '{"policy":"api"}': 5,
    '{"policy":"hostile"}': 5,
  });
});

test("alerts and dashboard ask for nothing that the gateway does not tell", () => {
  const fields = new Map([
    ["raGET /", 1],
    ["paaapi", 1],
    ["uaapi", 1],
    ["ea", 1],
    ["ga", 1],
  ]);
  const gauges = {
    policies: [{ name: "api", limit: 1, windowSeconds: 1 }],
    isBreakerOpen: false,
    isPublished: true,
    isRestored: false,
    ahead: [],
    version: 0,
    trial: { version: 1, percent: 5, publishedAtMs: 0 },
  };
  const { samples } = parseOpenMetrics(openMetricsOf(snapshotOf(fields), gauges));
  const known = new Set([...samples.keys()].map((sample) => sample.replace(/\{.*/, "")));
  for (const file of ["deploy/prometheus/alerts.yml", "deploy/grafana/tidegate.json"]) {
    const asked = readFileSync(file, "utf8").match(/\btidegate_[a-z_]+/g)!;
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
    expect(asked.length).toBeGreaterThan(8);
  }
  const { panels } = JSON.parse(readFileSync("deploy/grafana/tidegate.json", "utf8")) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
