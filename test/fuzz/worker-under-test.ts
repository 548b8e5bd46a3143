import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Redis } from "ioredis";
import { afterAll, beforeAll } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startWorker, type Worker } from "../../scripts/local-stack/worker.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { exchange } from "./raw-http.ts";

export interface RawAnswer {
  /** 0 where the connection was closed without an answer. */
  readonly status: number;
  /** Of the first field of that name, in lower case. */
  field(name: string): string | undefined;
  readonly text: string;
}

export interface WorkerUnderTest {
  readonly redis: Redis;
  /** The worker's log. */
  readonly log: readonly string[];
  send(bytes: Uint8Array, options?: { ends: boolean }): Promise<RawAnswer>;
}

const partition = ["header:x-api-key", "header:x-user-id", "ip"];
const quota = (name: string, limit: number) => [
  { algorithm: "fixed-window", name, limit, window: "30d" },
];

/** The limits of `/limited`, and of `/few`. */
export const [MANY, FEW] = [1_000_000_000, 5];

/** The worker in workerd, with a Redis of its own, in front of an origin that says which target reached it. */
export function useWorker(): WorkerUnderTest {
  const origin = createServer({ maxHeaderSize: 2 ** 20 }, (request, response) => {
    request.resume();
    response.setHeader("x-target", encodeURI(request.url ?? ""));
    request.on("error", () => {}).on("end", () => response.end("origin"));
  });
  const log: string[] = [];
  let server: RedisServer;
  let bridge: Bridge;
  let worker: Worker;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedisServer();
    redis = new Redis(server.url);
    bridge = await startBridge({ redis: server.url, port: 0, token: "t" });
    await once(origin.listen(0, "127.0.0.1"), "listening");
    worker = await startWorker({
      variables: {
        ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}`,
        UPSTASH_REDIS_REST_URL: bridge.url,
        UPSTASH_REDIS_REST_TOKEN: bridge.token,
        TIMEOUT: "10s",
        RULES: [
          { path: "/few", partition, policies: quota("few", FEW) },
          { path: "/limited", partition, policies: quota("limited", MANY) },
        ],
      },
      onLog: ({ message }) => log.push(message),
    });
  });
  afterAll(async () => {
    await worker?.stop();
    origin.closeAllConnections();
    origin.close();
    await bridge?.close();
    redis?.disconnect();
    await server?.stop();
  });

  return {
    log,
    get redis() {
      return redis;
    },
    async send(bytes, options) {
      const text = (await exchange(worker.url, bytes, options)).toString("latin1");
      const [head = ""] = text.split("\r\n\r\n", 1);
      return {
        status: Number(
          /^HTTP\/1\.[01] ([1-5]\d\d) /.exec(head)?.[1] ?? (text === "" ? 0 : Number.NaN),
        ),
        field: (name) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1],
        text,
      };
    },
  };
}
