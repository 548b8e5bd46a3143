import { StoreError } from "../../options/errors.ts";

/** The prefix that Redis before 7.0 gives errors of commands in scripts. */
const IN_SCRIPT = /^ERR Error running script \(call to \w+\): (?:@user_script: ?\d+: )*-?/;

function messageOf(error: unknown): string {
  return String((error as Error).message).replace(IN_SCRIPT, "");
}

/** Whether the script did not run because the server does not have it. */
export function isMissingScript(error: unknown): boolean {
  return /^NOSCRIPT\b/.test(messageOf(error));
}

/** Whether the server rejected the key-locking flag: Redis 7.0 names the flag, older versions fail to parse the line. */
export function isUnknownDialect(error: unknown): boolean {
  return /^(?:ERR )?(?:Unexpected flag in script shebang|Error compiling script.*unexpected symbol near '#')/i.test(
    messageOf(error),
  );
}

/** The server rejected the token, or does not let its user run the command or use the key. */
export function unauthorized(why = REJECTED): StoreError {
  return new StoreError("ERR_STORE_UNAUTHORIZED", `redis.token: (hidden): ${why}`);
}

const REJECTED = "Redis rejected it. Copy the REST token again from the console of your Redis.";
const FORBIDDEN =
  "it may not run this command or use this key. Give one that may write, with the rights that docs/redis.md names.";

/** The answer did not come from Redis, but for example from a gateway in front of it. */
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
  // workerd reports no details about either.
  if (message!.startsWith("internal error")) {
    why = ": most likely its name does not resolve, or its certificate is not valid";
  }
  return new StoreError("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
}

/** A bridge's reply when it has lost its Redis. */
const LOST_REDIS = /not reachable|went away/i;

/** Errors of a Redis that lacks a command or an option that the scripts use. */
const TOO_OLD = /syntax error|unknown redis command|non deterministic/i;

/** A token that a rejecting server or proxy may repeat; no word of Redis is this long. */
const TOKEN_LIKE = /\S{20,}/g;

/** Any failure of a command as a StoreError that does not quote the command. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = messageOf(error);
  if (message.startsWith("CROSSSLOT")) return new CrossSlotError();
  if (LOST_REDIS.test(message)) return connectionError(error);
  if (/^(?:ERR )?(?:WRONGPASS|NOAUTH|Unauthorized)/i.test(message)) return unauthorized();
  if (/^(?:ERR )?NOPERM/i.test(message)) return unauthorized(FORBIDDEN);
  // Arguments are quoted or in brackets: the text before them is Redis's own message.
  const words = /^(?:[^'"`()[\]{}<]|(?<=\w)'(?=\w)){0,1000}/
    .exec(message)![0]
    // Before the text is cut: the beginning of a token is no token any more.
    .replaceAll(TOKEN_LIKE, "(hidden)")
    .slice(0, 80)
    .trim();
  const remedy = TOO_OLD.test(words) ? " Tidegate needs Redis 6.2 or later." : "";
  return new StoreError(
    "ERR_STORE_REFUSED",
    `Redis answered: ${words || "an unknown error"}.${remedy}`,
  );
}

/** A Redis Cluster refuses keys of several hash slots in one call. It did not run the call. */
export class CrossSlotError extends StoreError {
  constructor() {
    super(
      "ERR_STORE_REFUSED",
      "Redis answered: CROSSSLOT: for a Redis Cluster, give redis: cluster({ url, token }).",
    );
  }
}
