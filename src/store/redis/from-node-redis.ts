import { Faults } from "../../options/faults.ts";
import { NODE_REDIS_CLIENT, NODE_REDIS_SENTINEL } from "../../options/messages.ts";
import type { MadeBy, RedisMakers } from "../../options/option-value.ts";
import { asOption } from "./client-option.ts";
import type { RedisClient } from "./client.ts";
import { checkConnected, sendingOver } from "./connected-client.ts";

/** The used parts of a node-redis client: a client, a pool or a cluster. */
export interface NodeRedisClient {
  evalSha(sha1: string, command: NodeRedisCommand): Promise<unknown>;
  eval(script: string, command: NodeRedisCommand): Promise<unknown>;
}

interface NodeRedisCommand {
  readonly keys: string[];
  readonly arguments: string[];
}

/** The members by which a pool, a cluster and a sentinel differ from a client. */
interface Kinds {
  /** Only a pool has it: runs a function with one of its clients. */
  execute?<Result>(run: (client: NodeRedisClient) => Result): Result;
  /** Only a cluster has it. */
  readonly nodeClient?: unknown;
  /** Only a sentinel has it. */
  readonly getSentinelNode?: unknown;
}

/** Takes the words of a command; of a cluster, after the key of its node and whether a replica may answer. */
interface Sender {
  sendCommand(...command: unknown[]): Promise<unknown>;
}

/**
 * Decides through a client of node-redis (the package `redis`), over its own connection: no REST API and no bridge. Connect it
 * first. Build it with `disableOfflineQueue: true`: a decision that waits for a reconnection is late anyway, and still charged.
 *
 * After a reply that only a new connection cures, such as READONLY of a master that has become a replica, the client
 * reconnects, at most once a second.
 *
 * @throws ConfigurationError if it is no client of node-redis, if it is a sentinel, which sends a command again after a lost
 * connection, and on Workers, where a connection belongs to one request
 * @example
 * const redis = await createClient({ disableOfflineQueue: true }).connect();
 * const limiter = createLimiter({ redis: fromNodeRedis(redis), policies });
 */
export function fromNodeRedis(client: NodeRedisClient): RedisClient & MadeBy<RedisMakers> {
  const faults = new Faults();
  const isComplete = checkConnected(client, ["evalSha", "eval"], NODE_REDIS_CLIENT, faults);
  const kinds = Object(client) as Kinds;
  const isSentinel = kinds.getSentinelNode !== undefined;
  if (isComplete && isSentinel) faults.add("client", "(a sentinel)", NODE_REDIS_SENTINEL);
  faults.throwIfAny();
  const over = sendingOver();

  /** Sends a command over the connection that is made anew if its reply calls for it. */
  function sendWith(
    keys: string[],
    send: (connection: NodeRedisClient) => Promise<unknown>,
  ): Promise<unknown> {
    const sendOver = (connection: NodeRedisClient) =>
      over(
        () => send(connection),
        () => quit(connection, keys),
      );
    return kinds.execute ? kinds.execute(sendOver) : sendOver(client);
  }

  return asOption({
    evalsha: (sha1, keys, args) =>
      sendWith(keys, (connection) => connection.evalSha(sha1, { keys, arguments: args })),
    eval: (script, keys, args) =>
      sendWith(keys, (connection) => connection.eval(script, { keys, arguments: args })),
  });
}

/**
 * Has the server close the connection, after the replies to all commands that were sent over it. The library then connects again. Of
 * a cluster it is the connection to the node of these keys.
 */
function quit(connection: NodeRedisClient, keys: string[]): void {
  const { sendCommand } = connection as unknown as Sender;
  const route = (connection as Kinds).nodeClient === undefined ? [] : [keys[0], false];
  // Without a reply the connection is lost, too.
  void sendCommand.call(connection, ...route, ["QUIT"]).catch(() => {});
}
