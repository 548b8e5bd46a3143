import { onWorkers } from "../../runtime/environment.ts";
import { firstContactMs } from "../first-contact.ts";
import type { RedisClient, RedisEndpoint } from "./client.ts";
import { type Dialect, learnFrom } from "./dialect.ts";
import { connectionError, notRedis, unauthorized } from "./errors.ts";

/** An error reply of Redis, with its own message. */
export class RedisReplyError extends Error {
  override readonly name = "RedisReplyError";
}

/**
 * In workerd an abort signal costs a tenth of a decision or more. An abandoned command ends with its request anyway,
 * unless that is long-lived, as in a Durable Object or behind a WebSocket. So commands have no signal while Redis
 * answers, and an outage leaves at most this many commands open.
 */
const SPARED = 4;

/** Sends one command, and resolves with its result. */
export type SendCommand = (command: readonly unknown[]) => Promise<unknown>;

/** The two commands that a decision needs. */
export function restClient(...connection: Parameters<typeof restSender>): RedisClient {
  const send = restSender(...connection);
  return {
    evalsha: (sha1, keys, args) => send(["EVALSHA", sha1, keys.length, ...keys, ...args]),
    eval: (script, keys, args) => send(["EVAL", script, keys.length, ...keys, ...args]),
  };
}

/**
 * Commands over Upstash's REST API. A command is sent once: after any failure it may have run, and sending it again
 * would charge twice.
 *
 * @param timeoutMs the time limit of a command; longer until the first result, see `firstContactMs`
 * @param init further options of every request
 * @param guess a dialect that the first answer may correct
 */
export function restSender(
  { url, token }: RedisEndpoint,
  timeoutMs: number,
  init?: RequestInit,
  guess?: Dialect,
): SendCommand {
  const spared = onWorkers() ? SPARED : 0;
  /** Commands sent since the last reply. */
  let unanswered = 0;
  /**
   * A missing-script reply is no result: the script is then sent within the same first contact, perhaps over another
   * connection.
   */
  let hasResult = false;
  const firstMs = firstContactMs(timeoutMs);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  return async function send(command) {
    let response: Response;
    let body: string;
    try {
      response = await fetch(url, {
        ...init,
        method: "POST",
        headers,
        body: JSON.stringify(command),
        signal: ++unanswered > spared ? AbortSignal.timeout(hasResult ? timeoutMs : firstMs) : null,
      });
      body = await response.text();
    } catch (error) {
      throw connectionError(error);
    }
    unanswered = 0;
    if (guess) learnFrom(response, guess);
    guess = undefined;
    const { status, ok } = response;
    if (status === 401) throw unauthorized();
    let reply: { result?: unknown; error?: unknown };
    try {
      reply = Object(JSON.parse(body));
    } catch {
      throw notRedis(`HTTP ${status}, and its body is not JSON`);
    }
    if (reply.error !== undefined) throw new RedisReplyError(String(reply.error));
    if (!ok || reply.result === undefined) throw notRedis(`HTTP ${status} without a result`);
    hasResult = true;
    return reply.result;
  };
}
