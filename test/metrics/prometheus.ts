import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { onTestFinished } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";

/** Whether a program of Debian's package `prometheus` is installed. */
export function isInstalled(program: "prometheus" | "promtool"): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

/** Starts a Prometheus that scrapes `target` twice a second with this token; returns how to query it. */
export async function startPrometheus(
  target: string,
  token: string,
): Promise<(query: string) => Promise<Record<string, number>>> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const port = await freePort();
  const { host, pathname } = new URL(target);
  writeFileSync(
    join(folder, "prometheus.yml"),
    JSON.stringify({
      global: { scrape_interval: "500ms", scrape_timeout: "400ms" },
      scrape_configs: [
        {
          job_name: "tidegate",
          metrics_path: pathname,
          authorization: { credentials: token },
          static_configs: [{ targets: [host] }],
        },
      ],
    }),
  );
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });

  return async function ask(query) {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    for (let tries = 0; tries < 100; tries++) {
      try {
        const body = (await (await fetch(url)).json()) as {
          data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
        };
        const found = body.data?.result ?? [];
        if (found.length > 0) {
          return Object.fromEntries(
            found.map(({ metric, value }) => [JSON.stringify(metric), Number(value[1])]),
          );
        }
      } catch {
        // It has not started yet.
      }
      await sleep(100);
    }
    return {};
  };
}
