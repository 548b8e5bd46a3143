import type { Command } from "commander";

import { withExamples } from "../help.ts";
import { ALERTS, BOARD, monitoringFile } from "../monitoring.ts";

export function registerAlerts(program: Command): void {
  withExamples(
    program
      .command("alerts")
      .description(
        "Print the alerts for Prometheus. It asks no gateway. docs/on-call.md says what to do when one fires.",
      )
      .option("--grafana", "instead, the dashboard for Grafana")
      .action(({ grafana }: { readonly grafana?: true }) => {
        process.stdout.write(monitoringFile(grafana ? BOARD : ALERTS));
      }),
    "npx tidegate alerts > alerts.yml",
    "npx tidegate alerts --grafana > tidegate.json",
  );
}
