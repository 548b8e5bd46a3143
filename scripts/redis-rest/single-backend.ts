import { Redis } from "ioredis";

import type { Backend } from "./backend.ts";
import { connectionOptions, runTransaction, toCommand } from "./connection.ts";
import { connectionLost, unreachable } from "./errors.ts";

export function singleBackend(url: string): Backend {
  const redis = new Redis(url, {
    ...connectionOptions,
    enableOfflineQueue: false,
    // ioredis 6 reads integers within 48 of 2^53 wrong. (A cluster client cannot do without numbers.)
    stringNumbers: true,
    retryStrategy: (times) => Math.min(times * 20, 200),
  });
  let lastError: Error | undefined;
  redis.on("error", (error) => (lastError = error));

  return {
    connected() {
      return new Promise((resolve) => {
        redis.once("ready", () => resolve(true));
        redis.once("close", () => resolve(false));
      });
    },
    async send(command) {
      if (redis.status !== "ready") throw unreachable(lastError);
      try {
        return (await redis.sendCommand(toCommand(command))) as Buffer;
      } catch (error) {
        throw connectionLost(error);
      }
    },
    async transaction(commands) {
      if (redis.status !== "ready") throw unreachable(lastError);
      return runTransaction(redis, commands);
    },
    close() {
      redis.disconnect();
    },
  };
}
