import { StoreError } from "../errors.ts";

/*
 * What a client throws quotes the whole command, and with it identities that the sender chose. So only the front of a
 * message is ever looked at, and only a part without the command goes on.
 */

/** The server's own words. */
function serverMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(", command was:", 1)[0]!.replace(/^Command \d+ \[ \w+ \] failed: /, "");
}

/** Whether the script did not run because the server does not have it. */
export function isMissingScript(error: unknown): boolean {
  return serverMessage(error).startsWith("NOSCRIPT");
}

/** Whether the server knows no key-locking flag: Redis from 7.0 says so, older ones do not know the line at all. */
export function isUnknownDialect(error: unknown): boolean {
  return /^(?:ERR )?(?:Unexpected flag in script shebang|Error compiling script.*unexpected symbol near '#')/i.test(
    serverMessage(error),
  );
}

/** Any failure of a client as a StoreError, without the command. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { name } = error as { name?: string };
  if (name === "TimeoutError" || name === "AbortError") {
    return new StoreError("ERR_STORE_TIMEOUT", "Redis did not answer within the budget.");
  }
  const message = serverMessage(error);
  if (/^(?:ERR )?(?:WRONGPASS|NOAUTH|NOPERM|Unauthorized)/i.test(message)) {
    return new StoreError(
      "ERR_STORE_UNAUTHORIZED",
      "redis.token: (hidden): Redis refused it. Copy the REST token anew from the console of your Redis.",
    );
  }
  if (name === "UpstashJSONParseError" || name === "SyntaxError") {
    return new StoreError(
      "ERR_STORE_REPLY",
      "What answered is not the Redis REST API: its body is not JSON.",
    );
  }
  if (name === "TypeError" || /fetch failed|network|not reachable|went away/i.test(message)) {
    return new StoreError("ERR_STORE_UNREACHABLE", "Redis could not be reached.");
  }
  // Arguments are quoted or in brackets: up to there it is Redis's own words.
  const words = /^[^'"`()[\]{}<]{0,80}/.exec(message)![0].trim();
  return new StoreError("ERR_STORE_REFUSED", `Redis answered: ${words || "an unknown error"}.`);
}
