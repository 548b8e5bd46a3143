// The API that is protected, in a thread of its own, as `onParts` starts it.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

import { nowMs } from "./client.ts";
import { createMatching, type MatchingOptions } from "./matching.ts";

/** The thread's first message. */
export interface Ready {
  readonly url: string;
  /** A path that is answered at once: its latency is the driver's own. */
  readonly bareUrl: string;
}

/** The answer to every message. */
export interface Log {
  /** When each request arrived, by its `X-Request-Number`; nothing where one did not. */
  readonly arrivals: readonly (number | undefined)[];
  readonly loads: readonly Load[];
}

/** The state of the matching service at a moment of the shared clock. */
export interface Load {
  readonly atMs: number;
  readonly calls: number;
  readonly waiting: number;
}

const BARE = "/bare";
/** The API gives up on the matching service after that long, which does not stop the service. */
const API_TIMEOUT_MS = 30_000;
const LOAD_EVERY_MS = 250;

const matching = createMatching(workerData as MatchingOptions);
const arrivals: number[] = [];
const loads: Load[] = [];

const server = createServer((request, response) => {
  if (request.url === BARE) return response.end();
  arrivals[Number(request.headers["x-request-number"])] = nowMs();
  request.resume();
  const answer = (status: number) => {
    clearTimeout(late);
    if (!response.headersSent) response.writeHead(status).end(`{"status":${status}}\n`);
  };
  const late = setTimeout(answer, API_TIMEOUT_MS, 504);
  return void matching.match().then((matched) => answer(matched ? 200 : 503));
});
// A gateway keeps its connections.
server.keepAliveTimeout = 75_000;
server.requestTimeout = 0;
await once(server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }), "listening");

function note(): void {
  loads.push({ atMs: nowMs(), calls: matching.calls, waiting: matching.waiting });
}
setInterval(note, LOAD_EVERY_MS);

parentPort!.on("message", () => {
  note();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage({ arrivals, loads } satisfies Log);
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage({ url, bareUrl: url + BARE } satisfies Ready);
