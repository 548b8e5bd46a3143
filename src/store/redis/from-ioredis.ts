import { Faults } from "../../options/faults.ts";
import { CLUSTER_SENDS_AGAIN, IOREDIS_CLIENT, SENDS_AGAIN } from "../../options/messages.ts";
import type { MadeBy, RedisMakers } from "../../options/option-value.ts";
import { asOption } from "./client-option.ts";
import type { RedisClient } from "./client.ts";
import { checkConnected, sendingOver } from "./connected-client.ts";

/** The used parts of an ioredis client: a `Redis` or a `Cluster`. */
export interface IoredisClient {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  readonly isCluster?: boolean;
  readonly options?: RedisOptions | ClusterOptions;
}

/** The options of a `Redis` that have it send a command again. */
interface RedisOptions {
  readonly autoResendUnfulfilledCommands?: boolean | undefined;
  readonly maxRetriesPerRequest?: number | null | undefined;
  /** Without one it does not connect again. */
  readonly retryStrategy?: unknown;
}

/** The options of a `Cluster` that have it, or the client of one of its nodes, send a command again. */
interface ClusterOptions {
  readonly retryDelayOnFailover?: number | undefined;
  readonly clusterNodeRetryStrategy?: unknown;
  readonly redisOptions?: RedisOptions | undefined;
}

/**
 * Decides through a client of ioredis, over its own connection: no REST API and no bridge. A decision that is sent again after a
 * lost connection is charged twice, so a `Redis` needs `autoResendUnfulfilledCommands: false`, and a `Cluster`
 * `retryDelayOnFailover: 0`. Give a `Redis` `maxRetriesPerRequest: 0`, too: a decision that waits for a reconnection is late anyway.
 *
 * After a reply that only a new connection cures, such as READONLY of a master that has become a replica, the client
 * reconnects, at most once a second.
 *
 * @throws ConfigurationError if it is no client of ioredis, if it sends commands again, and on Workers, where a connection
 * belongs to one request
 * @example
 * const redis = new Redis({ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
 * const limiter = createLimiter({ redis: fromIoredis(redis), policies });
 */
export function fromIoredis(client: IoredisClient): RedisClient & MadeBy<RedisMakers> {
  const faults = new Faults();
  if (checkConnected(client, ["evalsha", "eval"], IOREDIS_CLIENT, faults)) {
    checkSendsOnce(client, faults);
  }
  faults.throwIfAny();
  const over = sendingOver();
  function renew() {
    // Without a retryStrategy the client would end for good.
    const { retryStrategy } = Object(client.options) as RedisOptions;
    if (client.isCluster || typeof retryStrategy === "function") client.disconnect(true);
  }
  return asOption({
    evalsha: (sha1, keys, args) =>
      over(() => client.evalsha(sha1, keys.length, ...keys, ...args), renew),
    eval: (script, keys, args) =>
      over(() => client.eval(script, keys.length, ...keys, ...args), renew),
  });
}

function checkSendsOnce({ isCluster, options }: IoredisClient, faults: Faults): void {
  if (!isCluster) return checkNode("client.options", options as RedisOptions, faults);
  const { retryDelayOnFailover, clusterNodeRetryStrategy, redisOptions } = Object(
    options,
  ) as ClusterOptions;
  if (retryDelayOnFailover !== 0) {
    faults.add("client.options.retryDelayOnFailover", retryDelayOnFailover, CLUSTER_SENDS_AGAIN);
  }
  // Without a strategy the client of a node ends with its connection, and sends nothing again.
  if (typeof clusterNodeRetryStrategy === "function") {
    checkNode("client.options.redisOptions", redisOptions, faults);
  }
}

function checkNode(path: string, options: RedisOptions | undefined, faults: Faults): void {
  const { autoResendUnfulfilledCommands, maxRetriesPerRequest } = Object(options) as RedisOptions;
  // With 0 retries a lost connection fails all commands, so that none is left to send again.
  if (autoResendUnfulfilledCommands === false || maxRetriesPerRequest === 0) return;
  const name = `${path}.autoResendUnfulfilledCommands`;
  faults.add(name, autoResendUnfulfilledCommands, SENDS_AGAIN);
}
