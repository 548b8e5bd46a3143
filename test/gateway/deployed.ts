import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type RequestOptions,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { afterAll, beforeAll, inject } from "vitest";

import { startWorker, type Worker } from "../../scripts/local-stack/worker.ts";
import { generous, quota } from "../support/gateway/gateway.ts";

/** A response with its bytes as they were sent. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer<ArrayBuffer>;
}

export interface Deployed {
  readonly url: string;
  readonly origin: Server;
  /** The lines of its log. */
  readonly log: readonly string[];
  /** How the origin answers from now on. */
  answer(listener: RequestListener): void;
  /** A request exactly as a client writes it. */
  ask(target: string, options?: RequestOptions, body?: string): Promise<RawResponse>;
}

/**
 * The gateway in workerd, as it is deployed, in front of an origin that each test scripts.
 *
 * @param variables what differs from those below
 */
export function useDeployed(variables: object = {}): Deployed {
  let listener: RequestListener;
  let worker: Worker;
  const log: string[] = [];
  const origin = createServer((...pair) => listener(...pair));

  beforeAll(async () => {
    await once(origin.listen(0, "127.0.0.1"), "listening");
    worker = await startWorker({
      variables: {
        ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}`,
        UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
        UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
        TIMEOUT: "10s",
        PREFIX: crypto.randomUUID(),
        RULES: [
          { path: "/once/*", policies: [quota("once", 1)], partition: ["header:x-test"] },
          { path: "/thirty", policies: [quota("thirty", 30)], partition: ["header:x-test"] },
          ...generous,
        ],
        ...variables,
      },
      onLog: ({ message }) => log.push(message),
    });
  });
  afterAll(async () => {
    await worker?.stop();
    origin.closeAllConnections();
    origin.close();
  });

  return {
    origin,
    log,
    get url() {
      return worker.url;
    },
    answer(next) {
      listener = next;
    },
    async ask(target, options = {}, body) {
      const { hostname, port } = new URL(worker.url);
      const sent = request({ hostname, port, path: target, agent: false, ...options }).end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const bytes = await buffer(response);
      return { status: response.statusCode!, headers: response.headers, bytes };
    },
  };
}
