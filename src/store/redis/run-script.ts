import { StoreError } from "../../options/errors.ts";
import type { RedisClient } from "./client.ts";
import type { Dialect } from "./dialect.ts";
import { isMissingScript, isUnknownDialect, storeError } from "./errors.ts";
import { type Script, sha1For } from "./script.ts";

/** Runs a script whose reply has this many numbers. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: string[],
  length: number,
) => Promise<readonly number[]>;

/** Runs scripts by their SHA-1, and sends their text where a Redis does not have them. */
export function scriptRunner(redis: RedisClient, dialect: Dialect): RunScript {
  const send = (script: Script, keys: string[], args: string[]): Promise<unknown> =>
    inDialect(dialect, async () => {
      const { firstLine } = dialect;
      try {
        const sha1 = script.sha1s.get(firstLine) ?? (await sha1For(script, firstLine));
        return await redis.evalsha(sha1, keys, args);
      } catch (error) {
        // After any other failure the script may have run, and would charge twice.
        if (!isMissingScript(error)) throw error;
        // The answer may have corrected the dialect.
        return redis.eval(dialect.firstLine + script.text, keys, args);
      }
    });

  return async (script, keys, args, length) => {
    try {
      const reply = await send(script, keys as string[], args);
      if (!Array.isArray(reply) || reply.length !== length || !reply.every(Number.isSafeInteger)) {
        throw new StoreError("ERR_STORE_REPLY", "The answer is not one of Tidegate's script.");
      }
      return reply as number[];
    } catch (error) {
      throw storeError(error);
    }
  };
}

/** Sends a script, and sends it once more if Redis rejected its first line, so that it did not run. */
export async function inDialect<Answer>(
  dialect: Dialect,
  send: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!isUnknownDialect(error)) throw error;
    dialect.firstLine = "";
    return send();
  }
}
