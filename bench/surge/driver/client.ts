import { Agent, request, type RequestOptions } from "node:http";

import { ASKED_REDIS } from "../setups/asked-redis.ts";

/** A status, or 0 where there was no answer, and the wait that it told. */
export interface Received {
  readonly status: number;
  readonly retryAfterMs: number;
  /** Whether Redis had a part in a denial. */
  readonly askedRedis: boolean;
  /** Whether the limiter decided without its Redis. */
  readonly withoutRedis: boolean;
}

export interface Client {
  send(options: RequestOptions): Promise<Received>;
  close(): void;
}

/** An app gives up after that long, whatever its user does. */
const APP_TIMEOUT_MS = 60_000;
/** Where a denial tells no wait, an app comes back after a second. */
const USUAL_WAIT_S = 1;
const NOTHING: Received = { status: 0, retryAfterMs: 0, askedRedis: false, withoutRedis: false };

/** Sends requests over as many kept connections as are needed at once, or as many as may be. */
export function createClient(url: string, connections = Infinity): Client {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: 4_096 });
  return {
    send(options) {
      return new Promise((resolve) => {
        const asked = request({ hostname, port, agent, ...options }, (response) => {
          const status = response.statusCode!;
          const told = Number(response.headers["retry-after"] ?? USUAL_WAIT_S);
          const askedRedis = ASKED_REDIS in response.headers;
          const withoutRedis = response.headers["x-ratelimit-reason"] === "store-unavailable";
          const received = { status, retryAfterMs: told * 1000, askedRedis, withoutRedis };
          response.resume();
          response.once("end", () => resolve(received));
          response.once("error", () => resolve(NOTHING));
        });
        asked.setTimeout(APP_TIMEOUT_MS, () => asked.destroy());
        asked.once("error", () => resolve(NOTHING));
        asked.end();
      });
    },
    close: () => agent.destroy(),
  };
}
