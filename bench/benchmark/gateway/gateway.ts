import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { startBridge } from "../../../src/node/bridge/bridge.ts";
import { bundle } from "../../support/bundle.ts";
import { runWorker, type RunningWorker } from "../../support/run-worker.ts";
import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Part, type Scale } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { type LoadOptions, loadClient } from "../workerd/load.ts";
import { processCpu } from "../workerd/process-cpu.ts";

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

/** What a request costs beside one that the worker only forwards, as asked of two cores. */
const CASES = [
  { name: "no rule covers it", path: "/open", status: 200, target: 1.1 },
  { name: "allowed by a lease of 100 ms", path: "/leased", status: 200, target: 1.35 },
  { name: "allowed by one policy, through Redis", path: "/redis", status: 200, target: 1.9 },
  { name: "denied, as the isolate knows", path: "/denied", status: 429, target: 0.4 },
] as const;

/** Requests through the gateway beside a worker that only forwards them to the same origin: workerd's CPU for each. */
export const gatewayPart: Part = async (scale) => {
  const server = await openRedis();
  const bridge = await startBridge({
    redis: server.url,
    port: 0,
    token: "local",
    emulate: "upstash",
  });
  const origin = await startOrigin();
  const module = await bundle(`
    export { default, TidegateObject } from "./bench/benchmark/gateway/app.ts";`);
  const worker = await runWorker(
    module,
    {
      ORIGIN: origin.url,
      RULES: JSON.stringify(RULES),
      // A machine under full load may take longer than the usual timeout.
      TIMEOUT: "5s",
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridge.token,
    },
    { TIDEGATE: "TidegateObject" },
  );
  try {
    const figures: Figure[] = [];
    for (const [i, each] of CASES.entries()) {
      figures.push(await measure(worker, scale, each, i / CASES.length));
    }
    return figures;
  } finally {
    await worker.stop();
    await origin.close();
    await bridge.close();
    await server.close();
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
  { url, pid }: RunningWorker,
  { short, tell }: Scale,
  { name, path, status, target }: (typeof CASES)[number],
  share: number,
): Promise<Figure> {
  tell(name, share);
  const load = await loadClient();
  const options: LoadOptions = {
    connections: CONNECTIONS,
    headers: FIELDS,
    status,
    seconds: short ? 0.1 : 1,
  };
  const forwarded = { ...options, status: 200 };

  async function cpu(at: string, asked: LoadOptions): Promise<number> {
    const before = processCpu(pid);
    if (before === undefined) throw new Error("Only Linux says how much CPU workerd used.");
    const { requests } = await load(url + at, asked);
    return (processCpu(pid)! - before) / requests;
  }

  // The first request of a denied client is admitted.
  await (await fetch(url + path, { headers: FIELDS })).text();
  await load(url + path, options);
  await load(`${url}/bare`, forwarded);
  const [ours, theirs] = await interleave(
    [() => cpu(path, options), () => cpu("/bare", forwarded)],
    short ? 1 : 21,
  );
  return {
    name: `${name}: CPU of workerd per request`,
    unit: "us",
    ...compare(ours!, "a worker that only forwards", theirs!),
    target: atMost(target),
  };
}
