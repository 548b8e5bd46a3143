import type { RedisClient } from "../../store/redis/client.ts";
import { RedisReplyError } from "../../store/redis/exchange.ts";
import { restSender } from "../../store/redis/rest.ts";

/** A server before Redis 7.0, or a proxy, that lacks the commands of read-only scripts. */
const UNKNOWN_COMMAND = /^(?:ERR )?unknown (?:redis )?command/i;

/**
 * Runs scripts that write nothing. Upstash routes these commands to the nearest replica. Where they are missing, the
 * usual commands run the same script, and a replica takes no write from it either.
 */
export function readOnlyClient(...connection: Parameters<typeof restSender>): RedisClient {
  const send = restSender(...connection);
  let suffix = "_RO";

  async function run(
    command: "EVALSHA" | "EVAL",
    script: string,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const operands = [script, keys.length, ...keys, ...args];
    try {
      return await send([command + suffix, ...operands]);
    } catch (error) {
      const isUnknown = error instanceof RedisReplyError && UNKNOWN_COMMAND.test(error.message);
      if (suffix === "" || !isUnknown) throw error;
      suffix = "";
      return send([command, ...operands]);
    }
  }

  return {
    evalsha: (sha1, keys, args) => run("EVALSHA", sha1, keys, args),
    eval: (script, keys, args) => run("EVAL", script, keys, args),
  };
}
