import { onWorker } from "../../support/on-worker.ts";
import type { RunningWorker } from "../../support/run-worker.ts";
import { interleave } from "../compare.ts";
import { atLeast, type Figure, type Part, type Scale, type Target } from "../figure.ts";
import { loadFigures, loadOn } from "./load.ts";

const CLIENT = { "cf-connecting-ip": "203.0.113.7", "x-user-id": "somebody" };
const CONNECTIONS = 32;

interface Comparison {
  readonly name: string;
  readonly paths: readonly [string, string];
  readonly peer: string;
  readonly status: number;
  readonly target?: Target;
}

const COMPARISONS: readonly Comparison[] = [
  {
    name: "denied by rateLimit()",
    paths: ["/denied/tidegate", "/denied/bare"],
    peer: "bare app, same answer",
    status: 429,
    target: atLeast(0.95),
  },
  {
    name: "allowed by limit(), through Redis",
    paths: ["/allowed/tidegate", "/allowed/upstash"],
    peer: "@upstash/ratelimit",
    status: 200,
    target: atLeast(1.1),
  },
  {
    name: "allowed by limit() with a lease of 100 ms, one hot identity",
    paths: ["/leased/tidegate", "/allowed/upstash"],
    peer: "@upstash/ratelimit",
    status: 200,
  },
  {
    name: "allowed by limit() with a lease of 100 ms, one hot identity",
    paths: ["/leased/tidegate", "/leased/bare"],
    peer: "bare app, same answer",
    status: 200,
  },
];

/**
 * Real workers under real load. Both limiters speak to one bridge, which takes either's script with Upstash's flag and
 * holds both to its rules, so that none has a shorter way.
 */
export const workerdPart: Part = (scale) => {
  const source = `export { default } from "./bench/benchmark/workerd/app.ts";`;
  return onWorker(source, { emulate: "upstash" }, async (worker) => {
    await teachBareApp(worker.url);
    const figures: Figure[] = [];
    for (const [i, comparison] of COMPARISONS.entries()) {
      figures.push(...(await throughput(worker, scale, comparison, i / COMPARISONS.length)));
    }
    return figures;
  });
};

/** Shows the bare app a denial, so that it can answer the same. */
async function teachBareApp(url: string): Promise<void> {
  const ask = () => fetch(`${url}/denied/tidegate`, { headers: CLIENT });
  await (await ask()).text();
  const denial = await ask();
  const own = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];
  const answer = {
    status: denial.status,
    headers: Object.fromEntries([...denial.headers].filter(([name]) => !own.includes(name))),
    body: await denial.text(),
  };
  if (answer.status !== 429) throw new Error(`the denial is a ${answer.status}`);
  await (await fetch(`${url}/denied/bare`, { method: "PUT", body: JSON.stringify(answer) })).text();
}

async function throughput(
  worker: RunningWorker,
  { short, tell }: Scale,
  { name, paths, peer, status, target }: Comparison,
  share: number,
): Promise<Figure[]> {
  tell(`${name}, against ${peer}`, share);
  const options = { connections: CONNECTIONS, headers: CLIENT, status, seconds: short ? 0.1 : 1 };
  const measures = paths.map((path) => () => loadOn(worker, path, options));
  for (const measure of measures) await measure();
  const samples = await interleave(measures, short ? 1 : 41);
  return loadFigures(name, peer, samples, {
    rates: "requests per second",
    ...(target && { target }),
  });
}
