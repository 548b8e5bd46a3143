import { StoreError } from "../../errors/errors.ts";

/** No connection to Redis came about, so that it was sent nothing. */
export class NotSentError extends StoreError {
  /** @param why such as `: ECONNREFUSED` */
  constructor(why = "") {
    super("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
  }
}

/** What runtimes call a connection that never came about: refused at its address, or without an address. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** What a bridge says while it has no Redis. */
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
