import { startRedisServer } from "../../../scripts/support/redis-server.ts";
import { bundle } from "../../support/bundle.ts";
import { type RunningWorker, runWorker } from "../../support/run-worker.ts";
import { startUpstash } from "../run/upstash.ts";
import { type Api, startApi } from "./api.ts";

/** The parts of a scene: a Redis over HTTP, an API, and the gateway to deploy between them. */
export interface Parts {
  readonly api: Api;
  /** Deploys the gateway in a workerd of its own. */
  deploy(variables: Readonly<Record<string, string>>): Promise<RunningWorker>;
}

/** Starts real parts, lets a scene play on them, and stops them. Every worker is the scene's own to stop. */
export async function onParts<Played>(play: (parts: Parts) => Promise<Played>): Promise<Played> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const redis = await startRedisServer();
    stops.unshift(() => redis.stop());
    const upstash = await startUpstash(redis.url);
    stops.unshift(() => upstash.bridge.close());
    const api = await startApi();
    stops.unshift(() => api.stop());
    const module = await bundle(`export { default } from "./src/worker.ts";`);
    const fixed = {
      ORIGIN: api.url,
      ...upstash.variables,
      // Everything shares one machine: a stall of it must not pass for one of Redis.
      TIMEOUT: "5s",
    };
    return await play({
      api,
      deploy: (variables) => runWorker(module, { ...fixed, ...variables }),
    });
  } finally {
    for (const stop of stops) await stop();
  }
}
