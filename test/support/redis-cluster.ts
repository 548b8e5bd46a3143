import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";

import { freePort } from "../../scripts/support/free-port.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import type { RedisServer } from "../../scripts/support/redis-server.ts";

export interface ClusterNode extends RedisServer {
  readonly id: string;
  /** The id of its master, where it started as a replica. */
  readonly replicaOf?: string;
}

export interface RedisCluster {
  readonly urls: string[];
  /** Masters first, in the order of their slots; then their replicas in the same order. */
  readonly nodes: ClusterNode[];
  stop(): Promise<void>;
}

interface Member {
  readonly server: RedisServer;
  readonly busPort: number;
  readonly redis: Redis;
  readonly id: string;
}

const slots = 16_384;

export async function startRedisCluster(
  options: { masters?: number; replicas?: 0 | 1 } = {},
): Promise<RedisCluster> {
  const { masters: count = 3, replicas = 0 } = options;
  const started = await Promise.allSettled(
    Array.from({ length: count * (1 + replicas) }, startMember),
  );
  const members = started.flatMap((m) => (m.status === "fulfilled" ? [m.value] : []));
  async function stop(): Promise<void> {
    await Promise.all(members.map(({ server }) => server.stop()));
  }

  try {
    for (const member of started) if (member.status === "rejected") throw member.reason;
    const masters = members.slice(0, count);
    await join(members, masters);
    const followed = members.slice(count).map((replica, i) => ({ replica, master: masters[i]! }));
    await Promise.all(
      followed.map(({ replica, master }) => replica.redis.call("CLUSTER", "REPLICATE", master.id)),
    );
    await Promise.all(followed.map(({ replica }) => until(() => isSynced(replica))));
    await Promise.all(
      members.map((member) => until(() => seesRoles(member, count, followed.length))),
    );

    const nodes = members.map(({ server, id }, i) => ({
      ...server,
      id,
      ...(i >= count && { replicaOf: masters[i - count]!.id }),
    }));
    return { urls: nodes.map(({ url }) => url), nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const { redis } of members) redis.disconnect();
  }
}

async function startMember(): Promise<Member> {
  // A port of its own, since 10000 above the first one is often taken or past the last port.
  const busPort = await freePort();
  const settings = {
    "cluster-enabled": "yes",
    "cluster-port": `${busPort}`,
    "cluster-node-timeout": "1500",
    "repl-diskless-sync-delay": "0",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = await startRedisServer({ args });
  const redis = new Redis(server.url, { disableClientInfo: true });
  redis.on("error", () => {});
  return { server, busPort, redis, id: String(await redis.call("CLUSTER", "MYID")) };
}

async function join(members: readonly Member[], masters: readonly Member[]): Promise<void> {
  await Promise.all(
    members.map(async ({ redis }, i) => {
      // Nodes that meet with equal epochs take seconds to settle whose slots are whose.
      await redis.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1);
      if (i >= masters.length) return;
      const [from, to] = [i, i + 1].map((n) => Math.round((n * slots) / masters.length));
      await redis.call("CLUSTER", "ADDSLOTSRANGE", from!, to! - 1);
    }),
  );
  const [first, ...others] = members;
  for (const { server, busPort } of others) {
    await first!.redis.call("CLUSTER", "MEET", "127.0.0.1", server.port, busPort);
  }
  await Promise.all(members.map((member) => until(() => isJoined(member, members.length))));
}

async function isJoined({ redis }: Member, size: number): Promise<boolean> {
  const info = String(await redis.call("CLUSTER", "INFO"));
  return (
    info.includes("cluster_state:ok") &&
    info.includes(`cluster_known_nodes:${size}\r`) &&
    !String(await redis.call("CLUSTER", "NODES")).includes("handshake")
  );
}

async function isSynced({ redis }: Member): Promise<boolean> {
  return (await redis.info("replication")).includes("master_link_status:up");
}

/** Every node has its own view of the others; a client may ask any of them. */
async function seesRoles({ redis }: Member, masters: number, replicas: number): Promise<boolean> {
  const view = String(await redis.call("CLUSTER", "NODES"));
  const roles = (role: string) => view.match(new RegExp(`[ ,]${role} `, "g"))?.length ?? 0;
  return (
    roles("master") === masters &&
    roles("slave") === replicas &&
    String(await redis.call("CLUSTER", "INFO")).includes("cluster_state:ok")
  );
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("the cluster did not form within 20 s");
    await sleep(25);
  }
}
