import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

import { Miniflare } from "miniflare";
import type { MiniflareOptions, WorkerdStructuredLog } from "miniflare";

import { DASHBOARD } from "../build-dashboard/build.ts";
import { guard } from "../support/guard.ts";
import { bundleWorker } from "./bundle.ts";
import type { Bundle } from "./bundle.ts";

export interface Worker {
  readonly url: string;
  stop(): Promise<void>;
}

/** A line of the worker's console, or of workerd itself. */
export type Log = Pick<WorkerdStructuredLog, "level" | "message">;

export interface WorkerOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Override those of wrangler.toml; `undefined` takes one away. */
  variables?: Readonly<Record<string, unknown>>;
  /** Default: warnings and errors go to the terminal. */
  onLog?: (log: Log) => void;
}

// Miniflare ends workerd when this process exits, but not when it is killed.
subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => {
    if (basename(child.spawnfile) === "workerd") guard(child);
  });
});

/**
 * The worker as it is deployed, in a workerd of its own on loopback. It sees the `cf-connecting-ip` that a request
 * brings; one without gets 127.0.0.1.
 */
export async function startWorker(options: WorkerOptions = {}): Promise<Worker> {
  const { port = 0, variables = {}, onLog = writeLog } = options;
  const bundle = await bundleWorker();
  // Until it is known whether it starts: if it does not, they say why.
  const early: Log[] = [];
  let log = (entry: Log): void => void early.push(entry);
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port,
    workers: [describe(bundle, { ...bundle.variables, ...variables })],
    handleStructuredLogs: (entry) => log(entry),
    logRequests: false,
    // Data that Miniflare would fetch from the network, and share with other processes.
    cf: false,
    enableDevRegistry: false,
  });
  try {
    const { origin } = await miniflare.ready;
    log = onLog;
    early.forEach(log);
    return { url: origin, stop: () => miniflare.dispose() };
  } catch (error) {
    // It fails with the error that is at hand already.
    await miniflare.dispose().catch(() => {});
    const faults = early.filter(({ level }) => level === "error").map(({ message }) => message);
    const reason = faults.join("\n") || (error as Error).message;
    throw new Error(`the worker did not start: ${reason}`, { cause: error });
  }
}

function describe(
  bundle: Bundle,
  variables: Readonly<Record<string, unknown>>,
): MiniflareOptions["workers"][number] {
  const modules = Object.entries(bundle.modules).map(
    ([name, contents]) => [name, { type: "esm" as const, contents }] as const,
  );
  const env = Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name,
      typeof value === "string" ? { type: "text", value } : { type: "json", value },
    ]);
  return {
    config: {
      name: "tidegate",
      compatibilityDate: bundle.compatibilityDate,
      compatibilityFlags: [...bundle.compatibilityFlags],
      manifest: { mainModule: bundle.mainModule, modules: Object.fromEntries(modules) },
      env: { ...Object.fromEntries(env), ASSETS: { type: "assets" } },
      assets: { directory: DASHBOARD, hasUserWorker: true, runWorkerFirst: true },
    },
    dev: { cacheAPI: false },
  };
}

function writeLog({ level, message }: Log): void {
  if (level === "warn" || level === "error") console.error(message);
}
