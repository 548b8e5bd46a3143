import { StoreError } from "../../errors/errors.ts";
import type { RedisAddress } from "../../store/redis/client.ts";
import { dialectAt, inDialect } from "../../store/redis/dialect.ts";
import { storeError } from "../../store/redis/errors.ts";
import { exchangeWith, resultOf } from "../../store/redis/exchange.ts";
import { MAX_READ_BYTES } from "../../store/redis/rest.ts";
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
      if (!Array.isArray(reply) || reply.length === 0) throw foreign();
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

/** The data in Redis was not written by Tidegate. */
function foreign(): StoreError {
  return new StoreError(
    "ERR_STORE_REPLY",
    "What Redis has of live rules was not written by Tidegate.",
  );
}
