import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

import { Miniflare } from "miniflare";

// Its import lets no workerd outlive this process.
import "../../scripts/local-stack/worker.ts";

export interface RunningWorker {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

let lastWorkerd = 0;
subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => {
    if (basename(child.spawnfile) === "workerd") lastWorkerd = child.pid!;
  });
});

/** Runs a bundled module in a workerd of its own, with text bindings, and its classes of Durable Objects by their bindings. */
export async function runWorker(
  module: string,
  variables: Readonly<Record<string, string>> = {},
  objects: Readonly<Record<string, string>> = {},
): Promise<RunningWorker> {
  const texts = Object.entries(variables).map(
    ([name, value]) => [name, { type: "text" as const, value }] as const,
  );
  const namespaces = Object.entries(objects).map(
    ([name, exportName]) =>
      [name, { type: "durable-object" as const, worker: "worker", exportName }] as const,
  );
  const classes = Object.values(objects).map(
    (name) => [name, { type: "durable-object" as const, storage: "sqlite" as const }] as const,
  );
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    workers: [
      {
        config: {
          name: "worker",
          compatibilityDate: "2026-10-20",
          compatibilityFlags: ["nodejs_compat"],
          manifest: {
            mainModule: "worker.js",
            modules: { "worker.js": { type: "esm", contents: module } },
          },
          env: { ...Object.fromEntries(texts), ...Object.fromEntries(namespaces) },
          exports: Object.fromEntries(classes),
        },
        // Miniflare's own worker in front costs more than the measured code.
        dev: { cacheAPI: false, unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] },
      },
    ],
    logRequests: false,
    cf: false,
    enableDevRegistry: false,
  });
  await miniflare.ready;
  const { origin } = await miniflare.unsafeGetDirectURL();
  return { url: origin, pid: lastWorkerd, stop: () => miniflare.dispose() };
}
