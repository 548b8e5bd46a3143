import { readAtMost } from "../../runtime/read-at-most.ts";
import type { RedisEndpoint } from "./client.ts";
import { connectionError, notRedis, redirected, unauthorized } from "./errors.ts";

/** An error reply of Redis, with its own message. */
export class RedisReplyError extends Error {
  override readonly name = "RedisReplyError";
}

/** What answered a command, be it a Redis or not. */
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
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw redirected();
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
