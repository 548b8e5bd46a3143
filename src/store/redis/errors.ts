import { StoreError } from "../../errors/errors.ts";

/*
 * What a client throws quotes the whole command, and with it identities that the sender chose. So only the front of a
 * message is ever looked at, and only a part without the command goes on.
 */

/** What Redis before 7.0 puts in front of an error of a command in a script. */
const IN_SCRIPT = /^ERR Error running script \(call to \w+\): (?:@user_script: ?\d+: )*-?/;

/** The server's own words. */
function serverMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .split(", command was:", 1)[0]!
    .replace(/^Command (?:\d+ \[ \w+ \] )?failed: /, "")
    .replace(IN_SCRIPT, "");
}

/** Whether the script did not run because the server does not have it. */
export function isMissingScript(error: unknown): boolean {
  // Clients put words of their own in front. A key has a brace, so none can pass for them.
  return /^(?:[\w [\]]+: )*NOSCRIPT\b/.test(serverMessage(error));
}

/** Whether the server knows no key-locking flag: Redis from 7.0 says so, older ones do not know the line at all. */
export function isUnknownDialect(error: unknown): boolean {
  return /^(?:ERR )?(?:Unexpected flag in script shebang|Error compiling script.*unexpected symbol near '#')/i.test(
    serverMessage(error),
  );
}

/** The server refused the token. */
export function unauthorized(): StoreError {
  return new StoreError(
    "ERR_STORE_UNAUTHORIZED",
    "redis.token: (hidden): Redis refused it. Copy the REST token anew from the console of your Redis.",
  );
}

/** Something else than Redis answered, such as a gateway in front of it. */
export function notRedis(answer: string): StoreError {
  return new StoreError("ERR_STORE_REPLY", `What answered is not the Redis REST API: ${answer}.`);
}

/** A request that got no whole answer, as a StoreError. */
export function connectionError(error: unknown): StoreError {
  const { name, message, cause } = error as Partial<Error>;
  if (name === "TimeoutError" || name === "AbortError") {
    return new StoreError("ERR_STORE_TIMEOUT", "Redis did not answer within the timeout.");
  }
  const { code } = Object(cause ?? error) as { code?: unknown };
  let why = typeof code === "string" ? `: ${code}` : "";
  // All that workerd says of both.
  if (message!.startsWith("internal error")) {
    why = ": most likely its name does not resolve, or its certificate is not valid";
  }
  return new StoreError("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
}

/** What only a connection can say, in the words of runtimes, of Node's clients, and of a bridge that lost its Redis. */
const NO_CONNECTION =
  /^(?:internal error; reference|connect|Reached the max retries|Stream isn't)|fetch failed|network|not reachable|went away/i;

/** Any failure of a client as a StoreError, without the command. */
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
  // Arguments are quoted or in brackets: up to there it is Redis's own words.
  const words = /^(?:[^'"`()[\]{}<]|(?<=\w)'(?=\w)){0,80}/.exec(message)![0].trim();
  return new StoreError("ERR_STORE_REFUSED", `Redis answered: ${words || "an unknown error"}.`);
}
