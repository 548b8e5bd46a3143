import type { RedisCommand } from "./backend.ts";
import { BridgeError } from "./errors.ts";

/**
 * All requests share one connection: a command that blocks it stalls everybody, and one that
 * changes its state (database, subscriber mode, a transaction) changes it for everybody.
 */
const refused = new Set(
  `SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE SUNSUBSCRIBE MONITOR SYNC PSYNC
   BLPOP BRPOP BRPOPLPUSH BLMOVE BLMPOP BZPOPMIN BZPOPMAX BZMPOP WAIT WAITAOF
   MULTI EXEC DISCARD WATCH UNWATCH SELECT AUTH HELLO RESET QUIT CLIENT
   REPLCONF ASKING READONLY READWRITE SHUTDOWN`.split(/\s+/),
);

export function refuseStateful({ name, args }: RedisCommand): void {
  // Before them, XREADGROUP names a group and a consumer, which may be called anything.
  const options = name === "XREADGROUP" ? args.slice(3) : args;
  const blocks =
    (name === "XREAD" || name === "XREADGROUP") && has(options.slice(0, streams(options)), "BLOCK");
  const debugs = name === "SCRIPT" && has(args.slice(0, 1), "DEBUG");
  if (!refused.has(name) && !blocks && !debugs) return;
  throw new BridgeError(
    400,
    `ERR Command is not available: '${name}'. It would block or change the connection that all requests share`,
  );
}

function streams(args: RedisCommand["args"]): number {
  const position = args.findIndex((arg) => has([arg], "STREAMS"));
  return position === -1 ? args.length : position;
}

function has(args: RedisCommand["args"], word: string): boolean {
  return args.some((arg) => String(arg).toUpperCase() === word);
}
