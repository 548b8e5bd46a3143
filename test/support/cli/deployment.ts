import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { resolve } from "node:path";

import { Redis } from "ioredis";
import { onTestFinished } from "vitest";

import type { Finding } from "../../../packages/cli/src/doctor/finding.ts";
import type { DoctorOptions } from "../../../packages/cli/src/doctor/options.ts";
import { runDoctor } from "../../../packages/cli/src/doctor/run-doctor.ts";
import {
  type Bridge,
  type BridgeOptions,
  startBridge,
} from "../../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../../scripts/support/redis-server.ts";
import { admin, metrics } from "../../../src/admin.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import { quota, startOrigin } from "../gateway/gateway.ts";
import { listenTo } from "../gateway/serve.ts";

/** The recommended configuration, and the settings that a test adds. */
const RECOMMENDED = ["--include", resolve("deploy/redis.conf")];

/** A Redis for one test, by the recommended configuration. */
export async function deployRedis(...args: readonly string[]): Promise<RedisServer> {
  const server = await startRedisServer({ args: [...RECOMMENDED, ...args] });
  onTestFinished(() => server.stop());
  return server;
}

export function connect(url: string): Redis {
  const redis = new Redis(url, { disableClientInfo: true });
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

export async function deployBridge(
  redis: string,
  options: Partial<BridgeOptions> = {},
): Promise<Bridge> {
  const bridge = await startBridge({ redis, port: 0, token: "test", ...options });
  onTestFinished(() => bridge.close());
  return bridge;
}

/** The limited path of `deployGateway`. */
export const PATH = "/api/rides";

const RULES = [{ path: "/api/*", policies: [quota("api", 1_000)] }];

export type Handle = (request: Request) => Response | Promise<Response>;

/** A proxy in front of a gateway. */
export type Front = (request: Request, gateway: Handle) => Response | Promise<Response>;

/** As Cloudflare does: a client cannot choose its address. */
export const cloudflare: Front = (request, gateway) => {
  request.headers.set("cf-connecting-ip", "192.0.2.1");
  return gateway(request);
};

export interface GatewayDeployment {
  readonly variables?: object;
  readonly front?: Front;
  readonly origin?: RequestListener;
}

/** A gateway behind Node's server. */
export async function deployGateway(
  rest: { readonly url: string; readonly token: string },
  { variables = {}, front = cloudflare, origin }: GatewayDeployment = {},
): Promise<string> {
  const gateway = createGateway(
    {
      ORIGIN: (await startOrigin(origin)).url,
      UPSTASH_REDIS_REST_URL: rest.url,
      UPSTASH_REDIS_REST_TOKEN: rest.token,
      CLIENT_IP: "cloudflare",
      PREFIX: `doctor-${randomUUID()}`,
      // On a busy machine, only the planted delays may take too long.
      TIMEOUT: "5s",
      RULES,
      ...variables,
    },
    { admin, metrics },
  );
  const listener = listenTo((request) => front(request, (passed) => gateway.fetch(passed)));
  return (await startOrigin(listener)).url;
}

export async function diagnose(options: DoctorOptions): Promise<readonly Finding[]> {
  const { findings } = await runDoctor({ path: PATH, pings: 5, timeoutMs: 5_000, ...options });
  return findings;
}

/** Findings as one line each, to compare with the planted ones. */
export async function idsOf(options: DoctorOptions): Promise<readonly string[]> {
  return (await diagnose(options)).map(({ severity, id }) => `${severity} ${id}`);
}
