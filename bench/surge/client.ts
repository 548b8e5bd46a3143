import { Agent, request, type RequestOptions } from "node:http";

import { ASKED_REDIS } from "./asked-redis.ts";

export interface Received {
  /** 0 where there was no answer. */
  readonly status: number;
  /** The wait that the answer told. */
  readonly retryAfterMs: number;
  /** Whether Redis had a part in a denial. */
  readonly askedRedis: boolean;
}

export interface Client {
  send(options: RequestOptions): Promise<Received>;
  close(): void;
}

/** An app gives up after that long, whatever its user does. */
const APP_TIMEOUT_MS = 60_000;
/** Where a denial tells no wait, an app comes back after a second. */
const USUAL_WAIT_S = 1;
const NOTHING: Received = { status: 0, retryAfterMs: 0, askedRedis: false };

/** Sends requests over as many kept connections as are needed at once. */
export function createClient(url: string): Client {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 4_096 });
  return {
    send(options) {
      return new Promise((resolve) => {
        const asked = request({ hostname, port, agent, ...options }, (response) => {
          const told = Number(response.headers["retry-after"] ?? USUAL_WAIT_S);
          const askedRedis = ASKED_REDIS in response.headers;
          const received = { status: response.statusCode!, retryAfterMs: told * 1000, askedRedis };
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
