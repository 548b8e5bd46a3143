import { Redis } from "ioredis";

import { readAtMost } from "../../../../../src/runtime/read-at-most.ts";
import { connectionOptions } from "../../../../redis-rest/src/connection.ts";
import { isShallow } from "../../depth.ts";
import { PROBE_TIMEOUT_MS, reasonOf } from "./patience.ts";

/** An error reply: Redis is there, and refuses. */
export class ReplyError extends Error {}

/** A thousand names of keys, or a full slow log, take a tenth of it. A longer reply is not one of Redis to the doctor. */
const MAX_BYTES = 8_000_000;

/** A way to a Redis. */
export interface Connection {
  /** Sends a command. Throws a ReplyError for an error reply, and another error if there is no answer. */
  send(command: readonly string[]): Promise<unknown>;
  close(): void;
}

export function restConnection({ url, token }: { url: string; token: string }): Connection {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    async send(command) {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(command),
        // Another host must not get the token.
        redirect: "manual",
        signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      }).catch((error: unknown) => {
        throw new Error(reasonOf(error));
      });
      if (response.status >= 300 && response.status < 400) {
        throw new Error(`HTTP ${response.status}: it redirects. Give the address of Redis itself`);
      }
      if (response.status === 401) throw new Error("HTTP 401: the token is wrong");
      const body = await readAtMost(response.body, MAX_BYTES).catch((error: unknown) => {
        throw new Error(reasonOf(error));
      });
      if (body === undefined) throw new Error(`its answer has more than ${MAX_BYTES} bytes`);
      const reply = parse(new TextDecoder().decode(body), response.status);
      // The bridge's, while its Redis is away.
      if (response.status === 503) throw new Error(`HTTP 503: ${String(reply?.error)}`);
      if (reply?.error !== undefined) throw new ReplyError(String(reply.error));
      if (reply?.result === undefined) throw new Error(`HTTP ${response.status} without a result`);
      return reply.result;
    },
    close() {},
  };
}

function parse(
  text: string,
  status: number,
): { readonly result?: unknown; readonly error?: unknown } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`HTTP ${status}, and its body is not JSON`);
  }
  if (!isShallow(value)) throw new Error(`HTTP ${status}, and its body is nested too deep`);
  return value as ReturnType<typeof parse>;
}

export async function directConnection(url: string): Promise<Connection> {
  const redis = new Redis(url, {
    ...connectionOptions,
    lazyConnect: true,
    retryStrategy: null,
    // It asks INFO, which the user may not be allowed, and waits while Redis loads, which is to be found out.
    enableReadyCheck: false,
  });
  let reason: Error | undefined;
  redis.on("error", (error) => (reason = error));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    // ioredis rejects with "Connection is closed." and emits why.
    throw new Error(reasonOf(reason ?? error), { cause: error });
  }
  return {
    async send([name = "", ...args]) {
      try {
        return await redis.call(name, ...args);
      } catch (error) {
        const { message, name } = error as Error;
        throw name === "ReplyError" ? new ReplyError(message) : new Error(reasonOf(error));
      }
    },
    close: () => redis.disconnect(),
  };
}
