import { Cluster, type Redis } from "ioredis";

import type { Backend, BackendReply, RedisCommand } from "./backend.ts";
import { boundReplies } from "./bound-replies.ts";
import { clusterWide, refuseImpossibleKeys } from "./cluster-routing.ts";
import { connectionOptions, firstAttempt, runTransaction, toCommand } from "./connection.ts";
import { BridgeError, connectionLost, unreachable } from "./errors.ts";
import { splitLogin } from "./login.ts";
import { tellOutages } from "./outages.ts";

export function clusterBackend(
  addresses: readonly string[],
  password: string | undefined,
  tell: (line: string) => void,
): Backend {
  const nodes = addresses.map((address) => splitLogin(address, password));
  const cluster = new Cluster(
    nodes.map(({ url }) => url),
    {
      clusterRetryStrategy: () => 100,
      slotsRefreshInterval: 1_000,
      // These two resend commands that may already have run, or wait for seconds.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      redisOptions: {
        ...connectionOptions,
        ...nodes[0]?.login,
        ...(addresses[0]?.startsWith("rediss:") && { tls: {} }),
      },
    },
  );
  let lastError: Error | undefined;
  cluster.on("error", (error) => (lastError = error));
  const endOutages = tellOutages(cluster, tell);
  cluster.on("+node", (node: Redis) => node.on("connect", () => boundReplies(node.stream)));

  async function onEveryMaster(command: RedisCommand): Promise<BackendReply[]> {
    const masters = cluster.nodes("master");
    return Promise.all(
      masters.map(async (node) => (await node.sendCommand(toCommand(command))) as BackendReply),
    );
  }

  async function attempt<T>(commands: readonly RedisCommand[], run: () => Promise<T>): Promise<T> {
    // The queue a cluster client keeps for nodes that are still connecting stays on: nothing in it
    // was ever sent, and a node that refuses empties it. While the cluster itself is lost it must not fill.
    if (cluster.status !== "ready") throw unreachable(lastError);
    for (const command of commands) refuseImpossibleKeys(command);
    try {
      return await run();
    } catch (error) {
      throw slotMismatch(error) ?? connectionLost(error);
    }
  }

  return {
    async connected() {
      const ready = await firstAttempt(cluster);
      if (ready) await onEveryMaster({ name: "PING", args: [] }).catch(() => {});
      return ready;
    },
    send(command) {
      return attempt([command], async () => {
        const merge = clusterWide(command);
        if (merge) return merge(await onEveryMaster(command));
        return (await cluster.sendCommand(toCommand(command))) as BackendReply;
      });
    },
    transaction(commands) {
      return attempt(commands, () => runTransaction(cluster, commands));
    },
    close() {
      endOutages();
      cluster.disconnect();
    },
  };
}

/** A transaction across slots doesn't get as far as a node that could say CROSSSLOT. */
function slotMismatch(error: unknown): BridgeError | undefined {
  if (!(error instanceof Error) || !/should belong to the same slot/.test(error.message)) return;
  return new BridgeError(400, `CROSSSLOT ${error.message}`);
}
