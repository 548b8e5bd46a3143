import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { startTcpPipe, type TcpPipe } from "./tcp-pipe.ts";

/** A real primary and a real replica of it, each behind a REST bridge and a proxy that counts and fails. */
export interface Replicated {
  readonly primary: Side;
  readonly replica: Side;
  /** The replica's way to its primary. */
  readonly link: TcpPipe;
  /** Waits until the replica has the primary's state. */
  replicated(): Promise<void>;
  stop(): Promise<void>;
}

export interface Side {
  readonly redis: Redis;
  readonly server: RedisServer;
  /** The `{ url, token }` of its REST API. */
  readonly endpoint: { readonly url: string; readonly token: string };
  readonly proxy: FaultProxy;
  /** The names of the commands that have arrived. */
  commands(): readonly string[];
}

const TOKEN = "test";

async function startSide(args: readonly string[]): Promise<Side & { stop(): Promise<void> }> {
  const server = await startRedisServer({ args });
  const bridge = await startBridge({ redis: server.url, port: 0, token: TOKEN });
  const proxy = await startFaultProxy(bridge.url);
  const redis = new Redis(server.url, { disableClientInfo: true });
  return {
    server,
    redis,
    proxy,
    endpoint: { url: proxy.url, token: TOKEN },
    commands: () => proxy.received.map(({ body }) => (JSON.parse(body) as string[])[0]!),
    async stop() {
      redis.disconnect();
      await proxy.stop();
      await bridge.close();
      await server.stop();
    },
  };
}

/** @param args further arguments of the replica's server */
export async function startReplicated(args: readonly string[] = []): Promise<Replicated> {
  const primary = await startSide(["--repl-diskless-sync-delay", "0"]);
  const link = await startTcpPipe(primary.server.port);
  const replica = await startSide(["--replicaof", `127.0.0.1 ${link.port}`, ...args]);

  async function replicated(): Promise<void> {
    // A write that the replica has is one that it has after all earlier ones.
    const mark = crypto.randomUUID();
    await primary.redis.set("mark", mark);
    while ((await replica.redis.get("mark").catch(() => null)) !== mark) await sleep(5);
  }

  await replicated();
  return {
    primary,
    replica,
    link,
    replicated,
    async stop() {
      await link.cut();
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}
