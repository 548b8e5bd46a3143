import { readFileSync } from "node:fs";

/** The alerts for Prometheus. */
export const ALERTS = "prometheus/alerts.yml";

/** The dashboard for Grafana. */
export const BOARD = "grafana/tidegate.json";

/** A file of `deploy`, which stands in the same place beside the source and beside the build. */
export function monitoringFile(name: typeof ALERTS | typeof BOARD): string {
  return readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), "utf8");
}
