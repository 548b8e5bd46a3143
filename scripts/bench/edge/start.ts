import { startBridge } from "../../redis-rest/bridge.ts";
import { compare, interleave } from "../compare.ts";
import type { Figure, Scale } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { runWorker } from "../workerd/run.ts";
import { BARE, bundle, TIDEGATE, UPSTASH } from "./handlers.ts";

/** From the start of workerd to the first answer. A bare worker shows how much of it is the runtime's. */
export async function firstDecision({ short }: Scale): Promise<Figure[]> {
  const server = await openRedis();
  const bridge = await startBridge({
    redis: server.url,
    port: 0,
    token: "local",
    emulate: "upstash",
  });
  const variables = {
    UPSTASH_REDIS_REST_URL: bridge.url,
    UPSTASH_REDIS_REST_TOKEN: bridge.token,
    UPSTASH_DISABLE_TELEMETRY: "1",
  };

  async function measure(module: string): Promise<number> {
    const start = performance.now();
    const worker = await runWorker(module, variables);
    try {
      const response = await fetch(worker.url);
      await response.text();
      if (!response.ok) throw new Error(`the worker answered ${response.status}`);
      return performance.now() - start;
    } finally {
      await worker.stop();
    }
  }

  try {
    const modules = [await bundle(TIDEGATE), await bundle(UPSTASH), await bundle(BARE)];
    const samples = await interleave(
      modules.map((module) => () => measure(module)),
      short ? 1 : 7,
    );
    const [ours, theirs, bare] = samples as [number[], number[], number[]];
    const name = "workerd from start to first decision";
    return [
      { name, unit: "ms", ...compare(ours, "@upstash/ratelimit + redis", theirs) },
      { name, unit: "ms", ...compare(ours, "bare worker", bare) },
    ];
  } finally {
    await bridge.close();
    await server.close();
  }
}
