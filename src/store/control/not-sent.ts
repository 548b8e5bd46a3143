import { StoreError } from "../../options/errors.ts";

/** There was no connection to Redis, so the command was not sent. */
export class NotSentError extends StoreError {
  /** @param why such as `: ECONNREFUSED` */
  constructor(why = "") {
    super("ERR_STORE_UNREACHABLE", `Redis could not be reached${why}.`);
  }
}

/** The runtimes' codes of a connection that failed, in our own message: refused at its address, or without an address. */
const NEVER_CONNECTED =
  /^Redis could not be reached(: (?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH))\.$/;

/** A bridge's answer while it has no Redis, or no room for the request. */
const BRIDGE_SENT_NOTHING = /The command was not sent/;

/** Sends a command; rejects with a NotSentError where that surely failed before anything was sent. */
export async function sendOrSay(send: () => Promise<unknown>): Promise<unknown> {
  try {
    return await send();
  } catch (error) {
    const { message } = error as Error;
    const why = NEVER_CONNECTED.exec(message)?.[1];
    if (why !== undefined) throw new NotSentError(why);
    if (BRIDGE_SENT_NOTHING.test(message)) throw new NotSentError();
    throw error;
  }
}
