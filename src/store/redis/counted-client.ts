import type { RedisClient } from "./client.ts";

/** Puts something between a store and its client. */
export type WrapClient = (client: RedisClient) => RedisClient;

/** Calls `onCommand` with each command. */
export function counting(onCommand: () => void): WrapClient {
  return (client) => ({
    evalsha(...call) {
      onCommand();
      return client.evalsha(...call);
    },
    eval(...call) {
      onCommand();
      return client.eval(...call);
    },
  });
}
