import { StoreError } from "../../options/errors.ts";
import type { RedisAddress } from "../redis/client.ts";
import { dialectAt } from "../redis/dialect.ts";
import { storeError } from "../redis/errors.ts";
import { exchangeWith, MAX_READ_BYTES, resultOf } from "../redis/rest.ts";
import { inDialect } from "../redis/store.ts";

/** There was no connection to Redis, so the command was not sent. */
export class NotSentError extends StoreError {
  /** @param why such as `: ECONNREFUSED` */
  constructor(why = "") {
    super("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
  }
}

/** The runtimes' codes of a connection that failed, in our own message: refused at its address, or without an address. */
const NEVER_CONNECTED =
  /^Redis could not be reached(: (?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH))\.$/;

/** A bridge's answer while it has no Redis, or no room for the request. */
const BRIDGE_SENT_NOTHING = /The command was not sent/;

/** Sends a command; rejects with a NotSentError where that surely failed before anything was sent. */
async function sendOrSay(send: () => Promise<unknown>): Promise<unknown> {
  try {
    return await send();
  } catch (error) {
    const { message } = error as Error;
    const why = NEVER_CONNECTED.exec(message)?.[1];
    if (why !== undefined) throw new NotSentError(why);
    if (BRIDGE_SENT_NOTHING.test(message)) throw new NotSentError();
    throw error;
  }
}

/** A document of 900,000 bytes goes to a Redis far away in less. */
const TIMEOUT_MS = 10_000;

/** A script's answer. */
export type RedisReply = readonly (number | string)[];

/** Sends commands to the Redis of one gateway. Every failure is a StoreError that quotes no command. */
export interface Connection {
  /** Runs a script once. Only one that surely did not run is sent again, with the first line that this server takes. */
  run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<RedisReply>;
  /** Runs a plain command. */
  ask<Answer>(command: readonly (string | number)[]): Promise<Answer>;
}

export function connectionTo(redis: RedisAddress): Connection {
  const dialect = dialectAt(redis.url, redis.dialect);
  const exchange = exchangeWith(redis, MAX_READ_BYTES);

  async function send(command: readonly (string | number)[]): Promise<unknown> {
    return resultOf(await exchange(command, undefined, AbortSignal.timeout(TIMEOUT_MS)));
  }

  return {
    async run(script, keys, args) {
      const operands = [keys.length, ...keys, ...args.map(String)];
      let reply: unknown;
      try {
        reply = await inDialect(dialect, () =>
          sendOrSay(() => send(["EVAL", dialect.firstLine + script, ...operands])),
        );
      } catch (error) {
        throw storeError(error);
      }
      if (!Array.isArray(reply) || reply.length === 0) throw foreignReply();
      if (reply[0] === FOREIGN_KEY) throw foreignKey(String(reply[1]), String(reply[2]));
      return reply as RedisReply;
    },

    async ask<Answer>(command: readonly (string | number)[]) {
      try {
        return (await sendOrSay(() => send(command))) as Answer;
      } catch (error) {
        throw storeError(error);
      }
    },
  };
}

/** The first value of a script's reply if it writes nothing, before the key and its type. */
const FOREIGN_KEY = -1;

function foreignKey(key: string, type: string): StoreError {
  return new StoreError(
    "ERR_STORE_FOREIGN",
    `The key ${key} is of the type ${type}, which Tidegate does not write there: another program uses it. Delete the key if no program needs it, or give the gateway another PREFIX.`,
  );
}

/** The data in Redis was not written by Tidegate. */
function foreignReply(): StoreError {
  return new StoreError(
    "ERR_STORE_REPLY",
    "What Redis has of live rules was not written by Tidegate.",
  );
}
