import { onWorkers } from "../../runtime/environment.ts";
import { readAtMost } from "../../runtime/read-at-most.ts";
import { firstContactMs } from "../first-contact.ts";
import type { RedisEndpoint, RedisClient } from "./client.ts";
import { type Dialect, learnFrom } from "./dialect.ts";
import { connectionError, notRedis, unauthorized } from "./errors.ts";

/** The longest answer to a decision: that about ten thousand policies. */
const MAX_DECISION_BYTES = 1024 * 1024;

/** The longest answer with live rules or metrics. The longest that Tidegate writes has a document of 900,000 bytes, as JSON. */
export const MAX_READ_BYTES = 16_777_216;

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
  endpoint: RedisEndpoint,
  timeoutMs: number,
  init?: RequestInit,
  guess?: Dialect,
): SendCommand {
  return senderOver(exchangeWith(endpoint, MAX_DECISION_BYTES), timeoutMs, init, guess);
}

/** Commands whose answers are no decisions, and may be longer. */
export function restReader(endpoint: RedisEndpoint, timeoutMs: number): SendCommand {
  return senderOver(exchangeWith(endpoint, MAX_READ_BYTES), timeoutMs);
}

function senderOver(
  exchange: Exchange,
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

  return async function send(command) {
    const signal =
      ++unanswered > spared ? AbortSignal.timeout(hasResult ? timeoutMs : firstMs) : null;
    const answer = await exchange(command, init, signal);
    unanswered = 0;
    if (guess) learnFrom(answer.response, guess);
    guess = undefined;
    const result = resultOf(answer);
    hasResult = true;
    return result;
  };
}

/** An error reply of Redis, with its own message. */
export class RedisReplyError extends Error {
  override readonly name = "RedisReplyError";
}

/** The answer to a command, from a Redis or from something else. */
export interface Answer {
  readonly response: Response;
  readonly body: string;
}

/** Sends one command over Upstash's REST API, and reads the answer. */
export type Exchange = (
  command: readonly unknown[],
  init: RequestInit | undefined,
  signal: AbortSignal | null,
) => Promise<Answer>;

/** @param maxBytes of an answer: another server, or one that is broken, may send more than an isolate can keep */
export function exchangeWith({ url, token }: RedisEndpoint, maxBytes: number): Exchange {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  return async function exchange(command, init, signal) {
    let response: Response;
    let body: string | undefined;
    try {
      response = await fetch(url, {
        ...init,
        method: "POST",
        headers,
        body: JSON.stringify(command),
        // Another host must not get the command, and its answer is no decision.
        redirect: "manual",
        signal,
      });
      body = await textOf(response, maxBytes);
    } catch (error) {
      throw connectionError(error);
    }
    // Another address must get neither the token nor the command.
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw notRedis(
        "it redirects to another address. Redirects are not followed; give the address of Redis itself",
      );
    }
    if (body === undefined) throw notRedis(`its answer has more than ${maxBytes} bytes`);
    return { response, body };
  };
}

/** The text of an answer; `undefined` if it is too long. */
async function textOf(response: Response, maxBytes: number): Promise<string | undefined> {
  const { headers } = response;
  const length = headers.get("content-length");
  // The platform ends the body at this length. It is that of the compressed bytes where it has to unpack them.
  if (length !== null && Number(length) <= maxBytes && !headers.has("content-encoding")) {
    return response.text();
  }
  const bytes = await readAtMost(response.body, maxBytes);
  return bytes && new TextDecoder().decode(bytes);
}

/** The result in an answer. Throws the error in it, or a StoreError if it is no answer of Redis. */
export function resultOf({ response: { status, ok }, body }: Answer): unknown {
  if (status === 401) throw unauthorized();
  let reply: { result?: unknown; error?: unknown };
  try {
    reply = Object(JSON.parse(body));
  } catch {
    throw notRedis(`HTTP ${status}, and its body is not JSON`);
  }
  if (reply.error !== undefined) throw new RedisReplyError(String(reply.error));
  if (!ok || reply.result === undefined) throw notRedis(`HTTP ${status} without a result`);
  return reply.result;
}
