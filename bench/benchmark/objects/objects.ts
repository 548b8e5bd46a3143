import { startBridge } from "../../../packages/redis-rest/src/bridge.ts";
import { bundle } from "../../support/bundle.ts";
import { runWorker } from "../../support/run-worker.ts";
import { compare, interleave } from "../compare.ts";
import type { Figure, Part } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { loadClient } from "../workerd/load.ts";
import { processCpu } from "../workerd/process-cpu.ts";

interface Load {
  readonly name: string;
  /** The end of the path. */
  readonly clients: "one" | "many";
  readonly connections: number;
}

const LOADS: readonly Load[] = [
  { name: "one client, one request at a time", clients: "one", connections: 1 },
  { name: "one client, 32 requests at a time", clients: "one", connections: 32 },
  { name: "1,000 clients, 32 requests at a time", clients: "many", connections: 32 },
];

interface Sample {
  readonly rate: number;
  /** Microseconds of workerd's processor time for a request: the worker's and the objects'. */
  readonly cpu: number | undefined;
}

/**
 * Allowed requests of a worker that counts in Durable Objects, beside the same worker that counts in Redis. Both are on this
 * machine, so that no network is in the figures: in production, one to the object and one to Redis come on top.
 */
export const objectsPart: Part = async ({ short, tell }) => {
  const server = await openRedis();
  const bridge = await startBridge({ redis: server.url, port: 0, token: "local" });
  const source = `export { default, TidegateObject } from "./bench/benchmark/objects/app.ts";`;
  const worker = await runWorker(
    await bundle(source),
    { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token },
    { LIMITS: "TidegateObject" },
  );
  const load = await loadClient();

  async function measure(path: string, connections: number): Promise<Sample> {
    const before = processCpu(worker.pid);
    const { rate, requests } = await load(worker.url + path, {
      connections,
      headers: {},
      status: 200,
      seconds: short ? 0.1 : 1,
    });
    const after = processCpu(worker.pid);
    return { rate, cpu: before === undefined ? undefined : (after! - before) / requests };
  }

  try {
    const figures: Figure[] = [];
    for (const [i, { name, clients, connections }] of LOADS.entries()) {
      tell(name, i / LOADS.length);
      const paths = [`/object/${clients}`, `/redis/${clients}`];
      for (const path of paths) await measure(path, connections);
      const subjects = paths.map((path) => () => measure(path, connections));
      const [objects, redis] = (await interleave(subjects, short ? 1 : 15)) as [Sample[], Sample[]];
      const rates = (list: Sample[]) => list.map(({ rate }) => rate);
      const cpu = (list: Sample[]) => list.flatMap((sample) => sample.cpu ?? []);
      figures.push({
        name: `${name}: allowed requests per second`,
        unit: "/s",
        ...compare(rates(objects), "Redis", rates(redis)),
      });
      if (cpu(objects).length > 0) {
        figures.push({
          name: `${name}: CPU of workerd per request`,
          unit: "us",
          ...compare(cpu(objects), "Redis", cpu(redis)),
        });
      }
    }
    return figures;
  } finally {
    await worker.stop();
    await bridge.close();
    await server.close();
  }
};
