import { Command } from "ioredis";
import type { Cluster, CommonRedisOptions, Pipeline, Redis } from "ioredis";

import type { BackendReply, RedisCommand } from "./backend.ts";
import { BridgeError, isRedisError } from "./errors.ts";

export const connectionOptions = {
  // Upstash answers with RESP2 shapes: pairs as flat arrays, doubles as text.
  protocol: 2,
  // Redis before 7.2 doesn't know CLIENT SETINFO and would count an error for every connection.
  disableClientInfo: true,
  connectTimeout: 1_000,
  // A Redis that is up but silent must not hold requests for ever.
  socketTimeout: 5_000,
  // A command whose reply was lost may have run. Whether to run it again is the caller's to say.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} satisfies CommonRedisOptions;

/** A Redis does not answer while it reads its data set. The bridge listens meanwhile, and says so. */
const FIRST_ATTEMPT_MS = 2_000;

/** Settles once the first connection attempt has, or takes long; says whether it succeeded. */
export function firstAttempt(redis: Redis | Cluster): Promise<boolean> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve(false), FIRST_ATTEMPT_MS);
    const settle = (connected: boolean) => () => {
      clearTimeout(patience);
      resolve(connected);
    };
    redis.once("ready", settle(true));
    redis.once("close", settle(false));
  });
}

/** ioredis reshapes some arguments and replies by a command's lower-case name; upper case is left alone. */
export function toCommand({ name, args }: RedisCommand): Command {
  return new Command(name.toUpperCase(), [...args], { replyEncoding: null });
}

export async function runTransaction(
  redis: Redis | Cluster,
  commands: readonly RedisCommand[],
): Promise<BackendReply[]> {
  const pipeline = redis.multi();
  const queue = pipeline as unknown as Pipeline;
  for (const command of commands) queue.sendCommand(toCommand(command));
  try {
    const rows = (await pipeline.exec()) ?? [];
    return rows.map(([error, reply]) => error ?? (reply as BackendReply));
  } catch (error) {
    throw abortReason(error);
  }
}

/** EXECABORT alone doesn't say which command was at fault; the errors before it do. */
function abortReason(error: unknown): unknown {
  if (!isRedisError(error)) return error;
  const [first] = (error as { previousErrors?: Error[] }).previousErrors ?? [];
  if (!error.message.startsWith("EXECABORT") || !first) return error;
  return new BridgeError(400, `EXECABORT Transaction discarded because of: ${first.message}`);
}
