import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { bundle } from "../support/bundle.ts";
import { startRest } from "../support/rest.ts";
import { type RunningWorker, runWorker } from "../support/run-worker.ts";
import { askThread, nextMessage, startThread } from "../support/thread.ts";
import type { MatchingOptions } from "./matching.ts";
import type { Log, Ready } from "./origin.ts";

/** The real parts of a run: a Redis over HTTP, the API, and the gateway to deploy between them. */
export interface Parts {
  /** A path of the API that is answered at once. */
  readonly bareUrl: string;
  /** The requests that the API has seen so far. */
  log(): Promise<Log>;
  /** HTTP requests to Redis so far. */
  redisCalls(): number;
  /** Deploys the gateway in a workerd of its own, which the caller has to stop. */
  deploy(variables: Readonly<Record<string, string>>): Promise<RunningWorker>;
}

/** The gateway, whose denials say whether they asked Redis. */
const GATEWAY = `
  import worker from "./src/worker.ts";
  import { tellsCalls } from "./bench/surge/asked-redis.ts";
  export default tellsCalls(worker);`;

/** Starts the parts, lets them be played on, and stops them. */
export async function onParts<Played>(
  service: MatchingOptions,
  play: (parts: Parts) => Promise<Played>,
): Promise<Played> {
  const redis = await startRedisServer();
  const { bridge, variables } = await startRest(redis.url, "upstash");
  const origin = startThread(new URL("./origin.ts", import.meta.url), service);
  try {
    const { url, bareUrl } = await nextMessage<Ready>(origin);
    const module = await bundle(GATEWAY);
    return await play({
      bareUrl,
      log: () => askThread<Log>(origin, "log"),
      redisCalls: () => bridge.requests,
      deploy: (more) => runWorker(module, { ORIGIN: url, ...variables, ...more }),
    });
  } finally {
    await origin.terminate();
    await bridge.close();
    await redis.stop();
  }
}
