import { startBridge } from "../../../packages/redis-rest/src/bridge.ts";
import { bundle } from "../../support/bundle.ts";
import { runWorker } from "../../support/run-worker.ts";
import { compare, interleave } from "../compare.ts";
import type { Figure, Scale } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { BARE, TIDEGATE, UPSTASH } from "./handlers.ts";

/** Milliseconds from the start of workerd, and from when it listens, to the first answer. */
interface Sample {
  readonly total: number;
  readonly first: number;
}

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

  async function measure(module: string): Promise<Sample> {
    const start = performance.now();
    const worker = await runWorker(module, variables);
    try {
      const ready = performance.now();
      const response = await fetch(worker.url);
      await response.text();
      if (!response.ok) throw new Error(`the worker answered ${response.status}`);
      const answered = performance.now();
      return { total: answered - start, first: answered - ready };
    } finally {
      await worker.stop();
    }
  }

  try {
    const modules = [await bundle(TIDEGATE), await bundle(UPSTASH), await bundle(BARE)];
    const samples = await interleave(
      modules.map((module) => () => measure(module)),
      short ? 1 : 15,
    );
    const [ours, theirs, bare] = samples as [Sample[], Sample[], Sample[]];
    const figure = (name: string, part: keyof Sample, peer: string, others: Sample[]): Figure => ({
      name,
      unit: "ms",
      ...compare(
        ours.map((sample) => sample[part]),
        peer,
        others.map((sample) => sample[part]),
      ),
    });
    const whole = "workerd from start to first decision";
    const peer = "@upstash/ratelimit + redis";
    return [
      figure(whole, "total", peer, theirs),
      figure(whole, "total", "bare worker", bare),
      figure("first decision of a fresh isolate", "first", peer, theirs),
    ];
  } finally {
    await bridge.close();
    await server.close();
  }
}
