import { onWorker } from "../../support/on-worker.ts";
import { interleave } from "../compare.ts";
import type { Figure, Part } from "../figure.ts";
import { loadFigures, loadOn } from "../workerd/load.ts";

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

/**
 * Allowed requests of a worker that counts in Durable Objects, beside the same worker that counts in Redis. Both are on this
 * machine, so that no network is in the figures: in production, one to the object and one to Redis come on top.
 */
export const objectsPart: Part = ({ short, tell }) => {
  const source = `export { default, TidegateObject } from "./bench/benchmark/objects/app.ts";`;
  return onWorker(source, { objects: { LIMITS: "TidegateObject" } }, async (worker) => {
    const figures: Figure[] = [];
    for (const [i, { name, clients, connections }] of LOADS.entries()) {
      tell(name, i / LOADS.length);
      const options = { connections, headers: {}, status: 200, seconds: short ? 0.1 : 1 };
      const measures = [`/object/${clients}`, `/redis/${clients}`].map(
        (path) => () => loadOn(worker, path, options),
      );
      for (const measure of measures) await measure();
      const samples = await interleave(measures, short ? 1 : 15);
      figures.push(
        ...loadFigures(name, "Redis", samples, { rates: "allowed requests per second" }),
      );
    }
    return figures;
  });
};
