// The API that is protected, in a process of its own, as `startOrigin` of run/children.ts forks it.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "../clock.ts";
import { BARE } from "./bare.ts";
import { createMatching, type MatchingOptions } from "./matching.ts";

/** The messages of this process while it runs, and at the end. */
export type FromOrigin =
  | { readonly kind: "ready"; readonly url: string }
  | {
      readonly kind: "load";
      readonly calls: number;
      readonly done: number;
      readonly busy: number;
      readonly waiting: number;
    }
  | { readonly kind: "arrivals"; readonly arrivals: Float64Array };

/** The messages to this process. */
export type ToOrigin = ({ readonly kind: "start" } & MatchingOptions) | { readonly kind: "report" };

/** The API gives up on the matching service after that long, which does not stop the service. */
const API_TIMEOUT_MS = 30_000;

const LOAD_EVERY_MS = 250;

const tell = (message: FromOrigin) => process.send!(message);

process.on("message", (message: ToOrigin) => {
  if (message.kind === "start") void serve(message);
});
// The parent is gone.
process.on("disconnect", () => process.exit());

async function serve(options: MatchingOptions): Promise<void> {
  const matching = createMatching(options);
  /** When each request arrived, by its number; the driver numbers them. */
  const arrivals: number[] = [];

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
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": body.length,
    });
    response.end(body);
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
  tell({ kind: "ready", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  setInterval(() => {
    const { calls, done, busy, waiting } = matching;
    tell({ kind: "load", calls, done, busy, waiting });
  }, LOAD_EVERY_MS);
  process.on("message", (message: ToOrigin) => {
    if (message.kind === "report") {
      tell({ kind: "arrivals", arrivals: Float64Array.from(arrivals, (at) => at ?? 0) });
    }
  });
}
