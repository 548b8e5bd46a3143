import { Redis } from "ioredis";

import { monotonicNow } from "../../../src/runtime/time.ts";
import { staleConnection } from "../../../src/store/redis/stale-connection.ts";
import type { Backend, BackendReply } from "./backend.ts";
import { boundReplies } from "./bound-replies.ts";
import { connectionOptions, firstAttempt, runTransaction, toCommand } from "./connection.ts";
import { connectionLost, unreachable } from "./errors.ts";
import { splitLogin } from "./login.ts";
import { tellOutages } from "./outages.ts";

export function singleBackend(
  address: string,
  password: string | undefined,
  tell: (line: string) => void,
): Backend {
  const { url, login } = splitLogin(address, password);
  const redis = new Redis(url, {
    ...connectionOptions,
    ...login,
    reconnectOnError: staleConnection(monotonicNow),
    enableOfflineQueue: false,
    // ioredis 6 reads integers within 48 of 2^53 wrong. (A cluster client cannot do without numbers.)
    stringNumbers: true,
    retryStrategy: (times) => Math.min(times * 20, 200),
  });
  let lastError: Error | undefined;
  redis.on("error", (error) => (lastError = error));
  redis.on("connect", () => boundReplies(redis.stream));
  const endOutages = tellOutages(redis, tell);

  async function attempt<T>(run: () => Promise<T>): Promise<T> {
    if (redis.status !== "ready") throw unreachable(lastError);
    try {
      return await run();
    } catch (error) {
      throw connectionLost(error);
    }
  }

  return {
    connected() {
      return firstAttempt(redis);
    },
    send(command) {
      return attempt(async () => (await redis.sendCommand(toCommand(command))) as BackendReply);
    },
    transaction(commands) {
      return attempt(() => runTransaction(redis, commands));
    },
    close() {
      endOutages();
      redis.disconnect();
    },
  };
}
