// The entry without Node's modules and without variables of the environment; its client is the same.
import { Redis } from "@upstash/redis/cloudflare";

import { StoreError } from "../../errors/errors.ts";
import { translated } from "../../store/redis/client-errors.ts";
import type { RedisAddress } from "../../store/redis/client.ts";
import { dialectAt, inDialect } from "../../store/redis/dialect.ts";
import { storeError } from "../../store/redis/errors.ts";
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
  ask<Answer>(command: (redis: Redis) => Promise<unknown>): Promise<Answer>;
}

/** Says for each request how Redis is reached from it: on Workers, requests may share no connection. */
export function connectionsTo({ url, token, dialect: configured }: RedisAddress): () => Connection {
  const dialect = dialectAt(url, configured);

  return () => {
    const redis = new Redis({
      url,
      token,
      // A command whose answer is lost may have run.
      retry: { retries: 0 },
      // As a function: for a signal that is none, the client makes an answer of the reason.
      signal: () => AbortSignal.timeout(TIMEOUT_MS),
      automaticDeserialization: false,
      enableAutoPipelining: false,
      enableTelemetry: false,
      // Browsers and Deno refuse bodies above 64 KiB with it.
      keepAlive: false,
      responseEncoding: false,
    });
    const evaluate = (text: string, keys: readonly string[], args: readonly string[]) =>
      translated(() => sendOrSay(() => redis.eval(text, [...keys], [...args])));

    async function run(
      script: string,
      keys: readonly string[],
      args: readonly (string | number)[],
    ): Promise<RedisReply> {
      const texts = args.map(String);
      let reply: unknown;
      try {
        reply = await inDialect(dialect, () => evaluate(dialect.firstLine + script, keys, texts));
      } catch (error) {
        throw storeError(error);
      }
      if (!Array.isArray(reply) || reply.length === 0) throw foreign();
      return reply as RedisReply;
    }

    async function ask<Answer>(command: (redis: Redis) => Promise<unknown>): Promise<Answer> {
      try {
        return (await translated(() => sendOrSay(() => command(redis)))) as Answer;
      } catch (error) {
        throw storeError(error);
      }
    }

    return { run, ask };
  };
}

/** The data in Redis was not written by Tidegate. */
function foreign(): StoreError {
  return new StoreError(
    "ERR_STORE_REPLY",
    "What Redis has of live rules was not written by Tidegate.",
  );
}
