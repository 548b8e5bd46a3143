import { StoreError } from "../../options/errors.ts";
import type { RedisClient } from "./client.ts";
import { connectionError, notRedis } from "./errors.ts";
import { RedisReplyError } from "./rest.ts";

/*
 * Clients quote the whole command in their errors, including identities that an attacker may choose. So only the start of
 * a message is examined, and only a part without the command is passed on.
 */

/** Messages of connection failures, of runtimes and of Node's clients. */
const NO_CONNECTION =
  /^(?:internal error; reference|connect|Reached the max retries|Stream isn't)|fetch failed|network/i;

/** Wraps the client, so that its errors are those of our own transport: StoreError, or only Redis's message. */
export function withOwnErrors(client: RedisClient): RedisClient {
  return {
    evalsha: (...command) => translated(() => client.evalsha(...command)),
    eval: (...command) => translated(() => client.eval(...command)),
  };
}

/** A client's answer; its errors become those of our own transport. */
export async function translated(send: () => Promise<unknown>): Promise<unknown> {
  try {
    return await send();
  } catch (error) {
    throw ownError(error);
  }
}

function ownError(error: unknown): Error {
  if (error instanceof StoreError) return error;
  const { name } = Object(error) as { name?: string };
  const message = replyOf(error instanceof Error ? error.message : String(error));
  if (/^(?:TypeError|TimeoutError|AbortError)$/.test(name!) || NO_CONNECTION.test(message)) {
    return connectionError(error);
  }
  if (name === "UpstashJSONParseError" || name === "SyntaxError") {
    return notRedis("its body is not JSON");
  }
  return new RedisReplyError(message);
}

/** Redis's reply in a client's message, without the command and the client's own prefix. */
function replyOf(message: string): string {
  return (
    message
      .split(", command was:", 1)[0]!
      .replace(/^Command (?:\d+ \[ \w+ \] )?failed: /, "")
      // A key contains a brace, so it cannot imitate a prefix.
      .replace(/^(?:[\w [\]]+: )+(?=NOSCRIPT\b)/, "")
  );
}
