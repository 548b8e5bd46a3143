import { onWorkers } from "../runtime.ts";
import type { RedisClient, RedisEndpoint } from "./redis-client.ts";

/** An error that Redis replied, in its own words. */
export class RedisReplyError extends Error {
  override readonly name = "RedisReplyError";
}

/**
 * The two commands that a decision needs, over Upstash's REST API. A command is sent once: whatever goes wrong after
 * that, it may have run, and a second time it would charge twice.
 *
 * @param budget milliseconds after which nobody waits for a command any more
 */
export function restClient({ url, token }: RedisEndpoint, budget: number): RedisClient {
  // On Workers, what is given up ends with its request, and a signal costs a sixth of what a decision does. Elsewhere,
  // nobody else would close the connection.
  const signal = onWorkers() ? () => null : () => AbortSignal.timeout(budget);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  async function send(command: unknown[]): Promise<unknown> {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(command),
      signal: signal(),
    });
    const reply = (await response.json()) as { result?: unknown; error?: unknown } | null;
    if (reply?.error !== undefined) throw new RedisReplyError(String(reply.error));
    return reply?.result;
  }

  return {
    evalsha: (sha1, keys, args) => send(["EVALSHA", sha1, keys.length, ...keys, ...args]),
    eval: (script, keys, args) => send(["EVAL", script, keys.length, ...keys, ...args]),
  };
}
