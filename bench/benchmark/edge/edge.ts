import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { bundle } from "../../support/bundle.ts";
import { startRest } from "../../support/rest.ts";
import { runWorker } from "../../support/run-worker.ts";
import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Part, type Scale } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { processCpu } from "../workerd/load.ts";
import { TIDEGATE, UPSTASH } from "./handlers.ts";

const MEASURES: readonly (readonly [string, Part])[] = [
  ["CPU in workerd", cpuFigures],
  ["heap", heapFigures],
  ["first decision", firstDecision],
];

/** The cost of a decision in the isolate itself. */
export const edgePart: Part = async (scale) => {
  const figures: Figure[] = [];
  for (const [i, [what, measure]] of MEASURES.entries()) {
    scale.tell(what, i / MEASURES.length);
    figures.push(...(await measure(scale)));
  }
  return figures;
};

/** Makes as many calls as it is asked for within one request: the runtime's clocks stand still meanwhile. */
const CALLER = `
  import { tidegate, upstash } from "./bench/benchmark/edge/limiters.ts";
  const identities = Array.from({ length: 1_000 }, (_, i) => "203.0.113." + i);
  const subjects = {
    "tidegate-deny": tidegate({ admits: false }),
    "upstash-deny": upstash({ admits: false }),
    "tidegate-allow": tidegate({ admits: true }),
    "upstash-allow": upstash({ admits: true }),
  };
  export default {
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const decide = subjects[pathname.slice(1)];
      const calls = Number(searchParams.get("calls"));
      for (let call = 0; call < calls; call++) await decide(identities[call % 1_000]);
      return new Response("done");
    },
  };`;

/** By the processor time of workerd; empty where the system does not report it. */
async function cpuFigures({ short }: Scale): Promise<Figure[]> {
  const { url, pid, stop } = await runWorker(await bundle(CALLER));

  async function measure(subject: string, calls: number): Promise<number> {
    const before = processCpu(pid)!;
    const response = await fetch(`${url}/${subject}?calls=${calls}`);
    if ((await response.text()) !== "done") throw new Error(`workerd answers ${response.status}`);
    return (processCpu(pid)! - before) / calls;
  }

  async function pair(operation: string, calls: number) {
    const subjects = [`tidegate-${operation}`, `upstash-${operation}`];
    for (const subject of subjects) await measure(subject, calls);
    const [ours, theirs] = await interleave(
      subjects.map((subject) => () => measure(subject, calls)),
      short ? 1 : 9,
    );
    return compare(ours!, "@upstash/ratelimit", theirs!);
  }

  try {
    if (processCpu(pid) === undefined) return [];
    return [
      {
        name: "denial from knowledge, in workerd: CPU",
        unit: "us",
        ...(await pair("deny", short ? 50_000 : 400_000)),
        target: atMost(2, "tidegate"),
      },
      {
        name: "allow, the store answers at once, in workerd: CPU",
        unit: "us",
        ...(await pair("allow", short ? 10_000 : 50_000)),
      },
    ];
  } finally {
    await stop();
  }
}

const heapChild = fileURLToPath(new URL("heap-child.ts", import.meta.url));

async function heapFigures({ short }: Scale): Promise<Figure[]> {
  async function measure(name: string): Promise<number> {
    const args = ["--expose-gc", heapChild, name, short ? "10000" : "100000"];
    return Number((await promisify(execFile)(process.execPath, args)).stdout);
  }
  const [ours, theirs] = await interleave(
    ["tidegate", "upstash"].map((name) => () => measure(name)),
    short ? 1 : 3,
  );
  return [
    {
      name: "known denial: heap",
      unit: "bytes",
      ...compare(ours!, "@upstash/ratelimit", theirs!),
      target: atMost(100, "tidegate"),
    },
  ];
}

/** Milliseconds from when workerd listens to the first answer. */
async function firstDecision({ short }: Scale): Promise<Figure[]> {
  const server = await openRedis();
  const { bridge, variables } = await startRest(server.url, "upstash");

  async function measure(module: string): Promise<number> {
    const worker = await runWorker(module, variables);
    try {
      const ready = performance.now();
      const response = await fetch(worker.url);
      await response.text();
      if (!response.ok) throw new Error(`the worker answered ${response.status}`);
      return performance.now() - ready;
    } finally {
      await worker.stop();
    }
  }

  try {
    const modules = [await bundle(TIDEGATE), await bundle(UPSTASH)];
    const [ours, theirs] = await interleave(
      modules.map((module) => () => measure(module)),
      short ? 1 : 15,
    );
    return [
      {
        name: "first decision of a fresh isolate",
        unit: "ms",
        ...compare(ours!, "@upstash/ratelimit + redis", theirs!),
      },
    ];
  } finally {
    await bridge.close();
    await server.close();
  }
}
