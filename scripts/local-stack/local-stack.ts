import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { randomToken } from "../../packages/redis-rest/src/random-token.ts";
import { bundleWorker } from "./bundle.ts";
import { startOrigin } from "./origin.ts";
import { Parts, together } from "./parts.ts";
import { checkPorts } from "./ports.ts";
import type { Claim } from "./ports.ts";
import { probe } from "./probe.ts";
import { openRedis } from "./redis.ts";
import { startWorker } from "./worker.ts";
import type { WorkerOptions } from "./worker.ts";

export interface LocalStackOptions {
  /** The port of the first worker; each further one is at 10 more. Here and below, 0, the default, takes a free one. */
  port?: number;
  originPort?: number;
  bridgePort?: number;
  /** The token that the bridge's clients must present. Default: a random one. */
  token?: string | undefined;
  /** The token of the workers' admin API. Default: a random one. */
  adminToken?: string | undefined;
  /** How many, each in a workerd of its own. Default 1. */
  workers?: number;
  /** Default: a Redis of its own, if there is a redis-server. */
  redisUrl?: string | undefined;
  /** Further variables for the workers, over those of wrangler.toml. */
  variables?: WorkerOptions["variables"];
  onLog?: WorkerOptions["onLog"];
  /** Called if the Redis of its own ends by itself. Default: says so on the terminal. */
  onRedisEnd?: (how: string) => void;
  /** Stops the parts that have been started so far. */
  signal?: AbortSignal;
}

export interface LocalStack {
  readonly workers: string[];
  readonly origin: string;
  /** Neither is there where there is no Redis: then each worker counts in its own memory. */
  readonly bridge: string | undefined;
  /** The bridge's. */
  readonly token: string;
  /** The token of the admin API; absent without a Redis. */
  readonly adminToken: string | undefined;
  readonly redis: string | undefined;
  stop(): Promise<void>;
}

/**
 * Redis, bridge, origin, workers and their clients share this machine's processors: a stall of the machine must not pass for one
 * of Redis, or the workers count by themselves for that moment.
 */
const LOCAL_TIMEOUT = "1s";

/** Starts Redis, the REST bridge, an origin and workers on loopback, and shows that requests go through all of them. */
export async function startLocalStack(options: LocalStackOptions = {}): Promise<LocalStack> {
  const { port = 0, originPort = 0, bridgePort = 0, workers: count = 1, signal } = options;
  const token = options.token ?? randomToken();
  const ports = Array.from({ length: count }, (_, i) => (port === 0 ? 0 : port + 10 * i));
  await checkPorts([
    ...ports.map((port): Claim => ({ port, variable: "PORT" })),
    { port: originPort, variable: "ORIGIN_PORT" },
    { port: bridgePort, variable: "REDIS_REST_PORT" },
  ]);

  const parts = new Parts();
  try {
    const [redis, origin, bundle] = await together([
      parts.keep(
        openRedis(options.redisUrl, options.onRedisEnd ?? ((how) => sayRedisEnded(how, signal))),
      ),
      parts.keep(startOrigin({ port: originPort })),
      bundleWorker(signal),
    ]);
    signal?.throwIfAborted();
    const bridge = redis && (await parts.keep(openBridge(redis.url, bridgePort, token)));
    const adminToken = bridge && (options.adminToken ?? randomToken());
    const variables = {
      ORIGIN: origin.url,
      UPSTASH_REDIS_REST_URL: bridge?.url,
      UPSTASH_REDIS_REST_TOKEN: token,
      STORE: bridge ? "redis" : "memory",
      ADMIN_TOKEN: adminToken,
      // All of them are this machine, and the demo's origin has no pages.
      ADMIN_HOST: "any",
      TIMEOUT: LOCAL_TIMEOUT,
      ...options.variables,
    };
    const { onLog } = options;
    const workers = await together(
      ports.map((port) => parts.keep(startWorker({ port, variables, ...(onLog && { onLog }) }))),
    );
    const { RULES: rules } = { ...bundle.variables, ...variables } as { RULES?: unknown };
    for (const { url } of workers) await probe(url, origin, rules, signal);
    return {
      workers: workers.map(({ url }) => url),
      origin: origin.url,
      bridge: bridge?.url,
      token,
      adminToken,
      redis: redis?.url,
      stop: () => parts.stop(),
    };
  } catch (error) {
    await parts.stop().catch(() => {});
    throw error;
  }
}

/** Ctrl-C ends redis-server, too, and this process may hear of that before it gets its own signal. */
const SIGNAL_MS = 500;

function sayRedisEnded(how: string, signal: AbortSignal | undefined): void {
  setTimeout(() => {
    if (signal?.aborted) return;
    console.error(
      `tidegate: the stack's redis-server has ended (${how}): the workers decide without Redis, as their onFailure says. End the stack and start it anew.`,
    );
  }, SIGNAL_MS).unref();
}

async function openBridge(
  redis: string,
  port: number,
  token: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const bridge = await startBridge({ redis, port, token });
  return { url: bridge.url, stop: () => bridge.close() };
}
