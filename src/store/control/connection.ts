import { StoreError } from "../../options/errors.ts";
import type { RedisAddress } from "../redis/client.ts";
import { dialectAt } from "../redis/dialect.ts";
import { storeError } from "../redis/errors.ts";
import { exchangeWith, resultOf, MAX_READ_BYTES } from "../redis/rest.ts";
import { inDialect } from "../redis/store.ts";
import { sendOrSay } from "./not-sent.ts";

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
