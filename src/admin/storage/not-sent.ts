import { StoreError } from "../../errors/errors.ts";

/** There was no connection to Redis, so the command was not sent. */
export class NotSentError extends StoreError {
  /** @param why such as `: ECONNREFUSED` */
  constructor(why = "") {
    super("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
  }
}

/** The runtimes' codes of a connection that failed: refused at its address, or without an address. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** A bridge's answer while it has no Redis. */
const BRIDGE_WITHOUT_REDIS = /not reachable.*The command was not sent/is;

/** Sends a command; rejects with a NotSentError where that surely failed before anything was sent. */
export async function sendOrSay(send: () => Promise<unknown>): Promise<unknown> {
  try {
    return await send();
  } catch (error) {
    const { message, cause } = Object(error) as { message?: unknown; cause?: unknown };
    const { code } = Object(cause ?? error) as { code?: unknown };
    if (NEVER_CONNECTED.test(String(code))) throw new NotSentError(`: ${String(code)}`);
    if (BRIDGE_WITHOUT_REDIS.test(String(message))) throw new NotSentError();
    throw error;
  }
}
