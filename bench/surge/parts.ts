import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { guard } from "../../scripts/local-stack/guard.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { bundle } from "../support/bundle.ts";
import { startRest } from "../support/rest.ts";
import { type RunningWorker, runWorker } from "../support/run-worker.ts";
import type { MatchingOptions } from "./matching.ts";
import type { Log, Ready } from "./origin.ts";

/** The real parts of a run: a Redis over HTTP, the API, and the gateway to deploy between them. */
export interface Parts {
  /** The API's. */
  readonly bareUrl: string;
  /** What the API has seen so far. */
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
  const stops: (() => Promise<void>)[] = [];
  try {
    const redis = await startRedisServer();
    stops.unshift(() => redis.stop());
    const { bridge, variables } = await startRest(redis.url, "upstash");
    stops.unshift(() => bridge.close());
    const origin = startChild("origin.ts");
    stops.unshift(() => origin.stop());
    const { url, bareUrl } = await origin.ask<Ready>(service);
    const module = await bundle(GATEWAY);
    return await play({
      bareUrl,
      log: () => origin.ask<Log>("log"),
      redisCalls: () => bridge.requests,
      deploy: (more) => runWorker(module, { ORIGIN: url, ...variables, ...more }),
    });
  } finally {
    for (const stop of stops) await stop();
  }
}

/** A process that answers each message with one. */
export interface Child {
  ask<Answer>(message: object | string): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts a file of this folder as a process of its own. */
export function startChild(file: string): Child {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, { serialization: "advanced" });
  guard(child);
  return {
    ask: (message) => answerOf(child, message),
    async stop() {
      if (child.exitCode !== null) return;
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}

function answerOf<Answer>(child: ChildProcess, message: object | string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) =>
      reject(new Error(`a process of the surge ended with ${code}`));
    child.once("exit", fail);
    child.once("message", (answer) => {
      child.off("exit", fail);
      resolve(answer as Answer);
    });
    child.send(message);
  });
}
