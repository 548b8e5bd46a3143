// The API that is protected, in a process of its own, as `onParts` forks it. It answers each message of its parent with one.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "./clock.ts";
import { createMatching, type MatchingOptions } from "./matching.ts";

/** The answer to the first message, which has the options of the matching service. */
export interface Ready {
  readonly url: string;
  /** A path that is answered at once: its latency is the driver's own. */
  readonly bareUrl: string;
}

/** The answer to every other message. */
export interface Log {
  /** When each request arrived, by its `X-Request-Number`; 0 for one that did not. */
  readonly arrivals: Float64Array;
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

process.once("message", (options: MatchingOptions) => void serve(options));
// The parent is gone.
process.on("disconnect", () => process.exit());

async function serve(options: MatchingOptions): Promise<void> {
  const matching = createMatching(options);
  const arrivals: number[] = [];
  const loads: Load[] = [];
  const note = () => {
    const { calls, waiting } = matching;
    loads.push({ atMs: nowMs(), calls, waiting });
  };

  const server = createServer((request, response) => {
    if (request.url === BARE) {
      response.end();
      return;
    }
    arrivals[Number(request.headers["x-request-number"])] = nowMs();
    request.resume();
    void answer(response);
  });

  async function answer(response: ServerResponse): Promise<void> {
    const status = await match();
    const body = `${JSON.stringify({ status })}\n`;
    const headers = { "content-type": "application/json", "content-length": body.length };
    response.writeHead(status, headers).end(body);
  }

  async function match(): Promise<number> {
    const given = new AbortController();
    const late = sleep(API_TIMEOUT_MS, "late" as const, { signal: given.signal });
    late.catch(() => {});
    const matched = await Promise.race([matching.match(), late]);
    given.abort();
    if (matched === "late") return 504;
    return matched ? 200 : 503;
  }

  // A gateway keeps its connections.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = 0;
  await once(server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }), "listening");
  setInterval(note, LOAD_EVERY_MS);
  process.on("message", () => {
    note();
    const log: Log = { arrivals: Float64Array.from(arrivals, (at) => at ?? 0), loads };
    process.send!(log);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.send!({ url, bareUrl: url + BARE } satisfies Ready);
}
