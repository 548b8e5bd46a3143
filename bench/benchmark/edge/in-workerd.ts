import { bundle } from "../../support/bundle.ts";
import { runWorker } from "../../support/run-worker.ts";
import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Scale } from "../figure.ts";
import { processCpu } from "../workerd/process-cpu.ts";

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

/** The same as in Node, by the processor time of workerd; empty where the system does not report it. */
export async function cpuInWorkerd({ short }: Scale): Promise<Figure[]> {
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
