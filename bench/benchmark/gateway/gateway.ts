import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { onWorker } from "../../support/on-worker.ts";
import type { RunningWorker } from "../../support/run-worker.ts";
import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Part, type Scale } from "../figure.ts";
import { type LoadOptions, loadOn } from "../workerd/load.ts";

const CONNECTIONS = 32;
const PLENTY = 1_000_000_000;

/** The fields of a browser's request; the address is the one that the gateway counts. */
const FIELDS = {
  "cf-connecting-ip": "203.0.113.7",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  accept: "application/json",
  "accept-language": "en",
  authorization: "Bearer 0123456789abcdef",
};

const bucket = (name: string, limit: number, more: object = {}) => ({
  algorithm: "token-bucket",
  name,
  limit,
  refill: limit,
  per: "1d",
  ...more,
});

const RULES = [
  { path: "/redis", policies: [bucket("redis", PLENTY)] },
  { path: "/leased", policies: [bucket("leased", PLENTY, { lease: "100ms" })] },
  { path: "/denied", policies: [bucket("denied", 1)] },
];

/** The targets of a request's CPU, beside one that the worker only forwards, on two cores. */
const CASES = [
  { name: "no rule covers it", path: "/open", status: 200, target: 1.1 },
  { name: "allowed by a lease of 100 ms", path: "/leased", status: 200, target: 1.35 },
  { name: "allowed by one policy, through Redis", path: "/redis", status: 200, target: 1.9 },
  { name: "denied, as the isolate knows", path: "/denied", status: 429, target: 0.4 },
] as const;

/** Requests through the gateway beside a worker that only forwards them to the same origin: workerd's CPU for each. */
export const gatewayPart: Part = async (scale) => {
  const origin = await startOrigin();
  // A machine under full load may take longer than the usual timeout.
  const variables = { ORIGIN: origin.url, RULES: JSON.stringify(RULES), TIMEOUT: "5s" };
  const source = `export { default, TidegateObject } from "./bench/benchmark/gateway/app.ts";`;
  const objects = { TIDEGATE: "TidegateObject" };
  try {
    return await onWorker(source, { variables, objects, emulate: "upstash" }, async (worker) => {
      const figures: Figure[] = [];
      for (const [i, each] of CASES.entries()) {
        figures.push(await measure(worker, scale, each, i / CASES.length));
      }
      return figures;
    });
  } finally {
    await origin.close();
  }
};

async function startOrigin() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "cache-control": "no-store" });
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

async function measure(
  worker: RunningWorker,
  { short, tell }: Scale,
  { name, path, status, target }: (typeof CASES)[number],
  share: number,
): Promise<Figure> {
  tell(name, share);
  const options: LoadOptions = {
    connections: CONNECTIONS,
    headers: FIELDS,
    status,
    seconds: short ? 0.1 : 1,
  };
  const forwarded = { ...options, status: 200 };

  async function cpuOf(at: string, asked: LoadOptions): Promise<number> {
    const { cpu } = await loadOn(worker, at, asked);
    if (cpu === undefined) throw new Error("Only Linux says how much CPU workerd used.");
    return cpu;
  }

  // The first request of a denied client is admitted.
  await (await fetch(worker.url + path, { headers: FIELDS })).text();
  await cpuOf(path, options);
  await cpuOf("/bare", forwarded);
  const [ours, theirs] = await interleave(
    [() => cpuOf(path, options), () => cpuOf("/bare", forwarded)],
    short ? 1 : 21,
  );
  return {
    name: `${name}: CPU of workerd per request`,
    unit: "us",
    ...compare(ours!, "a worker that only forwards", theirs!),
    target: atMost(target),
  };
}
