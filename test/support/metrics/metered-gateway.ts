import { Redis } from "ioredis";
import { inject, onTestFinished } from "vitest";

import { answerAdmin } from "../../../src/admin/admin.ts";
import { administer } from "../../../src/admin/administer.ts";
import type { Administered } from "../../../src/admin/administered.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import { metrics } from "../../../src/metrics/metrics.ts";
import type { MetricsReader } from "../../../src/metrics/reader.ts";
import { liveKeys } from "../../../src/store/control/live-keys.ts";
import type { MetricsSets } from "../../../src/store/metrics-store.ts";
import { metricsKeys } from "../../../src/store/redis/redis-metrics.ts";
import { background } from "../adapter/background.ts";
import { startOrigin } from "../gateway/gateway.ts";
import { ADMIN_TOKEN, liveVariables } from "../live/live-gateway.ts";
import { metricsReaderOf } from "./metrics-reader-of.ts";

/** Gateways over one real Redis that count their answers. */
export interface MeteredGateways {
  readonly prefix: string;
  readonly redis: Redis;
  readonly keys: MetricsSets;
  readonly reader: MetricsReader;
  readonly origin: { readonly seen: readonly unknown[] };
  /** Opens another isolate. */
  open(variables?: object): MeteredGateway;
  /** Publishes a document. */
  publish(document: object): Promise<void>;
}

export interface MeteredGateway {
  readonly administered: Administered;
  /** How a client at this address is answered. */
  ask(path: string, ip?: string, init?: RequestInit): Promise<Response>;
  /** Asks its admin API: a body is posted. */
  api(path: string, body?: unknown, token?: string): Promise<Response>;
  flush(): Promise<void>;
  /** Resolves when everything that requests began in the background has ended. */
  idle(): Promise<unknown>;
}

export async function meteredGateways(
  rules: unknown,
  given: object = {},
): Promise<MeteredGateways> {
  const origin = await startOrigin();
  const prefix = crypto.randomUUID();
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const endpoint = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  let revision = 0;

  return {
    prefix,
    redis,
    origin,
    keys: metricsKeys(prefix),
    reader: metricsReaderOf(endpoint, prefix),

    open(variables = {}) {
      let administered: Administered | undefined;
      const gateway = createGateway(
        {
          ...liveVariables(origin.url, prefix),
          RULES: rules,
          METRICS_FLUSH: "10m",
          ...given,
          ...variables,
        },
        {
          metrics,
          admin(config, live) {
            administered = administer(config, live);
            return undefined;
          },
        },
      );
      const answer = answerAdmin(administered!);
      const { context, done } = background();
      return {
        administered: administered!,
        async ask(path, ip = "192.0.2.1", init = {}) {
          const request = new Request(`http://gateway.example${path}`, init);
          request.headers.set("cf-connecting-ip", ip);
          return gateway.fetch(request, {}, context);
        },
        async api(path, body, token = ADMIN_TOKEN) {
          const request = new Request(`http://gateway.example/_tidegate/api/v1${path}`, {
            ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
            headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": "192.0.2.9" },
          });
          if (body !== undefined) request.headers.set("content-type", "application/json");
          return answer(request, undefined);
        },
        async flush() {
          await administered!.metrics!.flush();
        },
        idle: done,
      };
    },

    async publish(document) {
      revision++;
      const text = JSON.stringify(document);
      const state = { revision, version: revision, publishedAt: Date.now(), document: text };
      await redis.hset(liveKeys(prefix).state, state);
    },
  };
}

/** Requests by rule, outcome and reason, such as `GET /api/* denied limited`. */
export async function requestsOf({ reader }: MeteredGateways): Promise<Record<string, number>> {
  const { requests } = await reader.total();
  return Object.fromEntries(
    requests.map(({ rule, outcome, reason, count }) => [`${rule} ${outcome} ${reason}`, count]),
  );
}
