import { readFileSync } from "node:fs";

import { expect, test } from "vitest";
import { parse } from "yaml";

import { useGateway } from "./use-gateway.ts";

const on = useGateway();

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly annotations: { runbook: string };
    }[];
  }[];
}

test("alerts prints the alerts for Prometheus, each with its part of the page for people on call", async () => {
  const { out, exit } = await on.run(["alerts"]);
  expect({ out, exit }).toEqual({
    out: readFileSync("deploy/prometheus/alerts.yml", "utf8"),
    exit: 0,
  });
  const { groups } = parse(out) as Alerts;
  const rules = groups.flatMap((group) => group.rules);
  const headings = readFileSync("docs/on-call.md", "utf8").match(/(?<=^## ).+$/gm);
  expect(rules.map(({ alert }) => alert).sort()).toEqual(headings!.sort());
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/on-call.md#${alert.toLowerCase()}`);
  }
});

test("alerts --grafana prints the dashboard for Grafana", async () => {
  on.gateway.script();
  const { out, exit } = await on.run(["alerts", "--grafana"]);
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ uid: "tidegate" });
  expect(on.gateway.seen).toEqual([]);
});
