import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

import { Miniflare, type WorkerOptions } from "miniflare";

// Its import lets no workerd outlive this process.
import "../../scripts/local-stack/worker.ts";

export interface RunningWorker {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** One module in many isolates. */
export interface RunningIsolates {
  /** Of each isolate. */
  readonly urls: readonly string[];
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
  const miniflare = await start([
    workerOf("worker", module, {
      env: { ...Object.fromEntries(texts), ...Object.fromEntries(namespaces) },
      exports: Object.fromEntries(classes),
    }),
  ]);
  const { origin } = await miniflare.unsafeGetDirectURL();
  return { url: origin, pid: lastWorkerd, stop: () => miniflare.dispose() };
}

/** Runs a bundled module in so many isolates of one workerd, each at an address of its own. */
export async function runIsolates(module: string, count: number): Promise<RunningIsolates> {
  const names = Array.from({ length: count }, (_, i) => `isolate-${i}`);
  const miniflare = await start(names.map((name) => workerOf(name, module)));
  const urls = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)));
  return { urls: urls.map(({ origin }) => origin), stop: () => miniflare.dispose() };
}

function workerOf(
  name: string,
  module: string,
  { env = {}, exports = {} }: Pick<WorkerOptions["config"], "env" | "exports"> = {},
): WorkerOptions {
  return {
    config: {
      name,
      compatibilityDate: "2026-10-20",
      compatibilityFlags: ["nodejs_compat"],
      manifest: {
        mainModule: "worker.js",
        modules: { "worker.js": { type: "esm", contents: module } },
      },
      env,
      exports,
    },
    // Miniflare's own worker in front costs more than what is measured.
    dev: { cacheAPI: false, unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] },
  };
}

async function start(workers: WorkerOptions[]): Promise<Miniflare> {
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    workers,
    logRequests: false,
    cf: false,
    enableDevRegistry: false,
  });
  await miniflare.ready;
  return miniflare;
}
