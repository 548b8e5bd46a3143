import { Redis } from "ioredis";
import { inject, onTestFinished } from "vitest";

import { admin } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import { type LiveKeys, liveKeys } from "../../src/store/control/live-keys.ts";
import { requestOf } from "../admin/ask.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, liveVariables } from "../support/live/live-gateway.ts";

/** An answer of the admin API. */
export interface Told {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  readonly body: any;
}

/** One isolate of a fleet, with its admin API. */
export interface Isolate {
  api(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Told>;
  /** The text at one of the gateway's own paths, such as `/health`. */
  own(path: string, fields?: Readonly<Record<string, string>>): Promise<string>;
  /** The status, and the limits that this client is told. */
  ask(user: string, path?: string): Promise<string>;
}

/** Isolates over one real Redis, each started when a test asks for it. */
export interface Fleet {
  readonly redis: Redis;
  readonly keys: LiveKeys;
  isolate(variables?: object): Isolate;
}

/** @param redis another Redis than that of this run, and its bridge */
export async function startFleet(server?: {
  readonly url: string;
  readonly rest: { readonly url: string; readonly token: string };
}): Promise<Fleet> {
  const origin = await startOrigin();
  const prefix = crypto.randomUUID();
  const redis = new Redis(server?.url ?? inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());

  return {
    redis,
    keys: liveKeys(prefix),
    isolate(variables = {}) {
      const given = {
        ...liveVariables(origin.url, prefix),
        ...(server && {
          UPSTASH_REDIS_REST_URL: server.rest.url,
          UPSTASH_REDIS_REST_TOKEN: server.rest.token,
        }),
        ...variables,
      };
      const gateway = createGateway(given, { admin, metrics });
      return {
        async api(method, path, body, headers = {}) {
          const asked = { method, body, headers, token: ADMIN_TOKEN };
          const response = await gateway.fetch(requestOf(path, asked));
          const text = await response.text();
          return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
        },
        async own(path, fields) {
          const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, ...fields };
          const request = new Request(`http://gateway.example/_tidegate${path}`, { headers });
          return (await gateway.fetch(request)).text();
        },
        async ask(user, path = "/api/x") {
          const response = await gateway.fetch(
            new Request(`http://gateway.example${path}`, {
              headers: { "x-user-id": user, "cf-connecting-ip": "192.0.2.1" },
            }),
          );
          const { status, headers } = response;
          // A body that nobody reads keeps its connection to the origin, and the next request opens another.
          await response.arrayBuffer();
          const limits = [...(headers.get("ratelimit-policy") ?? "").matchAll(/q=(\d+)/g)];
          return [status, ...limits.map(([, limit]) => limit)].join(" ");
        },
      };
    },
  };
}
