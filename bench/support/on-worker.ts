import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { bundle } from "./bundle.ts";
import { prefer } from "./priority.ts";
import { startRest } from "./rest.ts";
import { type RunningWorker, runWorker } from "./run-worker.ts";

export interface OnWorkerOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Classes of Durable Objects, by their bindings. */
  readonly objects?: Readonly<Record<string, string>>;
  /** Whether the bridge holds scripts to Upstash's rules. */
  readonly emulate?: "upstash";
}

/** Runs a worker's source in a workerd of its own, over a Redis behind a bridge, for as long as it is measured. */
export async function onWorker<Result>(
  source: string,
  { variables, objects, emulate }: OnWorkerOptions,
  measure: (worker: RunningWorker) => Promise<Result>,
): Promise<Result> {
  const redis = await startRedisServer();
  prefer(redis.pid);
  const rest = await startRest(redis.url, emulate);
  try {
    const module = await bundle(source);
    const worker = await runWorker(module, { ...rest.variables, ...variables }, objects);
    return await measure(worker).finally(() => worker.stop());
  } finally {
    await rest.bridge.close();
    await redis.stop();
  }
}
