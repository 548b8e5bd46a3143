import { StoreError } from "../../errors/errors.ts";

/*
 * Clients quote the whole command in their errors, including identities that an attacker may choose. So only the start of
 * a message is examined, and only a part without the command is passed on.
 */

/** The prefix that Redis before 7.0 gives errors of commands in scripts. */
const IN_SCRIPT = /^ERR Error running script \(call to \w+\): (?:@user_script: ?\d+: )*-?/;

/** The server's own message. */
function serverMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .split(", command was:", 1)[0]!
    .replace(/^Command (?:\d+ \[ \w+ \] )?failed: /, "")
    .replace(IN_SCRIPT, "");
}

/** Whether the script did not run because the server does not have it. */
export function isMissingScript(error: unknown): boolean {
  // Clients add prefixes of their own. A key contains a brace, so it cannot imitate one.
  return /^(?:[\w [\]]+: )*NOSCRIPT\b/.test(serverMessage(error));
}

/** Whether the server rejected the key-locking flag: Redis 7.0 names the flag, older versions fail to parse the line. */
export function isUnknownDialect(error: unknown): boolean {
  return /^(?:ERR )?(?:Unexpected flag in script shebang|Error compiling script.*unexpected symbol near '#')/i.test(
    serverMessage(error),
  );
}

/** The server rejected the token. */
export function unauthorized(): StoreError {
  return new StoreError(
    "ERR_STORE_UNAUTHORIZED",
    "redis.token: (hidden): Redis rejected it. Copy the REST token again from the console of your Redis.",
  );
}

/** Something other than Redis answered, such as a gateway in front of it. */
export function notRedis(answer: string): StoreError {
  return new StoreError("ERR_STORE_REPLY", `What answered is not the Redis REST API: ${answer}.`);
}

/** A request without a complete answer, as a StoreError. */
export function connectionError(error: unknown): StoreError {
  const { name, message, cause } = error as Partial<Error>;
  if (name === "TimeoutError" || name === "AbortError") {
    return new StoreError("ERR_STORE_TIMEOUT", "Redis did not answer within the timeout.");
  }
  const { code } = Object(cause ?? error) as { code?: unknown };
  let why = typeof code === "string" ? `: ${code}` : "";
  // workerd reports nothing more about either.
  if (message!.startsWith("internal error")) {
    why = ": most likely its name does not resolve, or its certificate is not valid";
  }
  return new StoreError("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
}

/** Messages of connection failures: of runtimes, of Node's clients, and of a bridge that lost its Redis. */
const NO_CONNECTION =
  /^(?:internal error; reference|connect|Reached the max retries|Stream isn't)|fetch failed|network|not reachable|went away/i;

/** Any failure of a client as a StoreError that does not quote the command. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { name } = Object(error) as { name?: string };
  const message = serverMessage(error);
  if (/^(?:TypeError|TimeoutError|AbortError)$/.test(name!) || NO_CONNECTION.test(message)) {
    return connectionError(error);
  }
  if (/^(?:ERR )?(?:WRONGPASS|NOAUTH|NOPERM|Unauthorized)/i.test(message)) return unauthorized();
  if (name === "UpstashJSONParseError" || name === "SyntaxError") {
    return notRedis("its body is not JSON");
  }
  // Arguments are quoted or in brackets: everything before is Redis's own message.
  const words = /^(?:[^'"`()[\]{}<]|(?<=\w)'(?=\w)){0,80}/.exec(message)![0].trim();
  return new StoreError("ERR_STORE_REFUSED", `Redis answered: ${words || "an unknown error"}.`);
}
