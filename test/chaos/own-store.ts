import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";

export const TOKEN = "token";

/** A Redis and a bridge that a test may break, behind a proxy that counts what reaches them. */
export interface OwnStore {
  readonly proxy: FaultProxy;
  readonly redisUrl: string;
  signalRedis(signal: "SIGSTOP" | "SIGCONT"): void;
  killRedis(): Promise<void>;
  /** An empty one in its place. */
  startRedis(): Promise<void>;
  closeBridge(): Promise<void>;
  openBridge(token?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startOwnStore(): Promise<OwnStore> {
  let redis = await startRedisServer();
  let bridge = await startBridge({ redis: redis.url, port: 0, token: TOKEN });
  const { url } = redis;
  const port = Number(new URL(bridge.url).port);
  const proxy = await startFaultProxy(bridge.url);

  return {
    proxy,
    redisUrl: url,
    signalRedis: (signal) => redis.kill(signal),
    killRedis: () => redis.stop(),
    async startRedis() {
      redis = await startRedisServer({ port: redis.port });
    },
    closeBridge: () => bridge.close(),
    async openBridge(token = TOKEN) {
      bridge = await startBridge({ redis: url, port, token });
    },
    async stop() {
      await proxy.stop();
      await bridge.close();
      await redis.stop();
    },
  };
}
