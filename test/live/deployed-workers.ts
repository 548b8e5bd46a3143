import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, inject } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startWorker, type Worker } from "../../scripts/local-stack/worker.ts";
import { liveVariables } from "../support/live/live-gateway.ts";

/** How often a worker reads the live rules. */
export const REFRESH_MS = 1_000;

/** Workers over one bridge and one origin, while the tests of a file run. */
export function deployedWorkers(count: number) {
  const workers: Worker[] = [];
  const deployed = { workers } as { readonly workers: Worker[]; bridge: Bridge };
  const origin = createServer((request, response) =>
    request.resume().on("end", () => response.end()),
  );
  beforeAll(async () => {
    await once(origin.listen(0, "127.0.0.1"), "listening");
    deployed.bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "t" });
    const { port } = origin.address() as AddressInfo;
    const { bridge } = deployed;
    const variables = {
      ...liveVariables(`http://127.0.0.1:${port}`, crypto.randomUUID()),
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridge.token,
      LIVE_REFRESH: `${REFRESH_MS}ms`,
      METRICS: "off",
    };
    for (let i = 0; i < count; i++) workers.push(await startWorker({ variables, onLog: () => {} }));
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await deployed.bridge.close();
    origin.close();
  });
  return deployed;
}
