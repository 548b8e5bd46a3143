import { onWorkers } from "../runtime.ts";
import type { RedisClient, RedisEndpoint } from "./redis-client.ts";

/** An error that Redis replied, in its own words. */
export class RedisReplyError extends Error {
  override readonly name = "RedisReplyError";
}

/**
 * In workerd a signal costs a tenth of a decision and more. There a command that is given up ends with its request as
 * well, if that is a short one; in a Durable Object or behind a WebSocket it may stay for long. So while Redis answers
 * there is no signal, and an outage leaves no more than this many behind.
 */
const SPARED = 4;

/**
 * The two commands that a decision needs, over Upstash's REST API. A command is sent once: whatever goes wrong after
 * that, it may have run, and a second time it would charge twice.
 *
 * @param budget milliseconds after which nobody waits for a command any more
 * @param init further options of each request
 */
export function restClient(
  { url, token }: RedisEndpoint,
  budget: number,
  init?: RequestInit,
): RedisClient {
  const spared = onWorkers() ? SPARED : 0;
  /** Commands sent since the last reply. */
  let unanswered = 0;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  async function send(command: unknown[]): Promise<unknown> {
    const response = await fetch(url, {
      ...init,
      method: "POST",
      headers,
      body: JSON.stringify(command),
      signal: ++unanswered > spared ? AbortSignal.timeout(budget) : null,
    });
    const reply = (await response.json()) as { result?: unknown; error?: unknown } | null;
    unanswered = 0;
    if (reply?.error !== undefined) throw new RedisReplyError(String(reply.error));
    return reply?.result;
  }

  return {
    evalsha: (sha1, keys, args) => send(["EVALSHA", sha1, keys.length, ...keys, ...args]),
    eval: (script, keys, args) => send(["EVAL", script, keys.length, ...keys, ...args]),
  };
}
