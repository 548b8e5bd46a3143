import { type FaultKind, Faults } from "../../options/faults.ts";
import { IOREDIS_CLIENT, NODE_REDIS_CLIENT } from "../../options/messages.ts";
import { report } from "../../runtime/log.ts";
import type { RedisClient } from "./client.ts";

/** The used parts of an ioredis client: a `Redis` or a `Cluster`. */
export interface IoredisClient {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  readonly options?: { readonly autoResendUnfulfilledCommands?: boolean | undefined };
}

/** The used parts of a node-redis client: a client, a pool or a cluster. */
export interface NodeRedisClient {
  evalSha(sha1: string, command: NodeRedisCommand): Promise<unknown>;
  eval(script: string, command: NodeRedisCommand): Promise<unknown>;
}

interface NodeRedisCommand {
  readonly keys: string[];
  readonly arguments: string[];
}

/**
 * Decides through a client of ioredis, over its own connection: no REST API and no bridge. Build it with
 * `autoResendUnfulfilledCommands: false` and `maxRetriesPerRequest: 0`: a decision that is sent again after a lost
 * connection is charged twice, and one that waits for a reconnection is late anyway. It warns if the former has its
 * default.
 *
 * @throws ConfigurationError if it is no client of ioredis
 * @example
 * const redis = new Redis({ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
 * const limiter = createLimiter({ redis: fromIoredis(redis), policies });
 */
export function fromIoredis(client: IoredisClient): RedisClient {
  requireFunctions(client, ["evalsha", "eval"], IOREDIS_CLIENT);
  if (client.options?.autoResendUnfulfilledCommands === true) {
    report(
      "The client of ioredis sends commands again after a lost connection, so that a request may be charged twice: build it with autoResendUnfulfilledCommands: false.",
    );
  }
  return {
    evalsha: async (sha1, keys, args) =>
      exactOf(await client.evalsha(sha1, keys.length, ...keys, ...args)),
    eval: async (script, keys, args) =>
      exactOf(await client.eval(script, keys.length, ...keys, ...args)),
  };
}

/**
 * Decides through a client of node-redis (the package `redis`), over its own connection: no REST API and no bridge. Connect it
 * first. Build it with `disableOfflineQueue: true`: a decision that waits for a reconnection is late anyway, and still charged.
 *
 * @throws ConfigurationError if it is no client of node-redis
 * @example
 * const redis = await createClient({ disableOfflineQueue: true }).connect();
 * const limiter = createLimiter({ redis: fromNodeRedis(redis), policies });
 */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  requireFunctions(client, ["evalSha", "eval"], NODE_REDIS_CLIENT);
  return {
    evalsha: async (sha1, keys, args) =>
      exactOf(await client.evalSha(sha1, { keys, arguments: args })),
    eval: async (script, keys, args) =>
      exactOf(await client.eval(script, { keys, arguments: args })),
  };
}

/** A number as a client with `stringNumbers`, or with numbers mapped to texts, replies it. */
const NUMBER = /^\d{1,16}$/;

/**
 * The numbers of a reply. The parsers of both clients make 2^53 of the number before it, which no reply of a script has: a
 * limit of `Number.MAX_SAFE_INTEGER` would have an answer that is none. Of the 50 numbers before that, they make some one less.
 */
function exactOf(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(exactOf);
  if (typeof reply === "number") return Math.min(reply, Number.MAX_SAFE_INTEGER);
  return typeof reply === "string" && NUMBER.test(reply) ? Number(reply) : reply;
}

function requireFunctions(client: object, names: readonly string[], kind: FaultKind): void {
  const isComplete = names.every(
    (name) => typeof (Object(client) as Record<string, unknown>)[name] === "function",
  );
  if (isComplete) return;
  const faults = new Faults();
  faults.add("client", String(client), kind);
  faults.throwIfAny();
}
