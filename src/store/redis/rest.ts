import { onWorkers } from "../../runtime/environment.ts";
import { firstContactMs } from "../first-contact.ts";
import type { RedisClient, RedisEndpoint } from "./client.ts";
import { type Dialect, learnFrom } from "./dialect.ts";
import { type Exchange, exchangeWith, resultOf } from "./exchange.ts";

/** Of an answer to a decision: ten thousand policies have as many. */
const MAX_DECISION_BYTES = 1024 * 1024;

/** Of an answer with live rules or metrics. The longest that Tidegate writes has a document of 900,000 bytes, as JSON. */
export const MAX_READ_BYTES = 16 * 1024 * 1024;

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
