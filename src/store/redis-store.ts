import { StoreError } from "../errors.ts";
import type { RedisClient } from "./redis-client.ts";
import { isMissingScript, isUnknownDialect, storeError } from "./redis-error.ts";
import { BODY, KEY_LOCKING, SHA1_KEY_LOCKING, SHA1_PLAIN } from "./scripts.generated.ts";
import type { Reply, Row, Store } from "./store.ts";

/** The same script as Upstash wants it and as every other Redis does. */
interface Dialect {
  readonly sha1: string;
  readonly script: () => string;
}

const PLAIN: Dialect = { sha1: SHA1_PLAIN, script: () => BODY };
const KEY_LOCKED: Dialect = { sha1: SHA1_KEY_LOCKING, script: () => KEY_LOCKING + BODY };

/** Fields per policy in the script's reply. */
const WIDTH = 4;

/** Counts in Redis: one EVALSHA per decision, by the server's clock. */
export function redisStore(redis: RedisClient): Store {
  let known: Dialect | undefined;

  async function run(keys: string[], args: string[]): Promise<unknown> {
    // Only a missing script is tried again: any other failure may have run, and would charge twice.
    for (const dialect of known ? [known] : [KEY_LOCKED, PLAIN]) {
      try {
        const reply = await redis.evalsha(dialect.sha1, keys, args);
        known = dialect;
        return reply;
      } catch (error) {
        if (!isMissingScript(error)) throw error;
      }
    }
    return load(keys, args);
  }

  /** Sends the script itself, in the dialect that the server takes. */
  async function load(keys: string[], args: string[]): Promise<unknown> {
    if (known !== PLAIN) {
      try {
        const reply = await redis.eval(KEY_LOCKED.script(), keys, args);
        known = KEY_LOCKED;
        return reply;
      } catch (error) {
        // The script did not run, so it can be sent again.
        if (!isUnknownDialect(error)) throw error;
      }
    }
    const reply = await redis.eval(PLAIN.script(), keys, args);
    known = PLAIN;
    return reply;
  }

  return {
    async decide(operation, keys, cost, policies) {
      const args = [operation, String(cost)];
      for (const { algorithm, limit, parameters, ttl } of policies) {
        args.push(
          algorithm,
          String(limit),
          String(parameters[0]),
          String(parameters[1]),
          String(ttl),
        );
      }
      try {
        return parseReply(await run(keys as string[], args), policies.length);
      } catch (error) {
        throw storeError(error);
      }
    },

    async reset(keys) {
      try {
        await run(keys as string[], ["reset"]);
      } catch (error) {
        throw storeError(error);
      }
    },
  };
}

function parseReply(reply: unknown, policies: number): Reply {
  if (
    !Array.isArray(reply) ||
    reply.length !== 1 + WIDTH * policies ||
    !reply.every(Number.isSafeInteger)
  ) {
    throw new StoreError("ERR_STORE_REPLY", "The answer is not one of Tidegate's script.");
  }
  const numbers = reply as number[];
  const rows: Row[] = [];
  for (let at = 1; at < numbers.length; at += WIDTH) {
    rows.push({
      allowed: numbers[at] === 1,
      remaining: numbers[at + 1]!,
      retryAfter: numbers[at + 2]!,
      resetAfter: numbers[at + 3]!,
    });
  }
  return { now: numbers[0]!, rows };
}
