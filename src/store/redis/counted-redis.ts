import type { Store } from "../store.ts";
import type { RedisClient } from "./client.ts";
import {
  COMMANDS_OF_RESET,
  commandsOfDecision,
  commandsOfExtension,
  commandsOfRefund,
  commandsOfTake,
} from "./script-commands.ts";

/** Stands between a Redis, its client and its store. */
export interface CountedRedis {
  client(client: RedisClient): RedisClient;
  store(store: Store): Store;
}

/**
 * Calls `onCommands` with the number of commands that Redis bills: with each call, whether or not an answer comes, and with those that
 * a script ran, once it has answered.
 */
export function countedRedis(onCommands: (commands: number) => void): CountedRedis {
  return {
    client: (client) => ({
      evalsha(...call) {
        onCommands(1);
        return client.evalsha(...call);
      },
      eval(...call) {
        onCommands(1);
        return client.eval(...call);
      },
    }),

    store: (store) => ({
      ...store,

      async decide(...asked) {
        const reply = await store.decide(...asked);
        onCommands(commandsOfDecision(asked, reply));
        return reply;
      },

      ...(store.take && {
        async take(keys, costs, policies, orders) {
          const reply = await store.take!(keys, costs, policies, orders);
          onCommands(commandsOfTake(policies, costs, orders, reply));
          return reply;
        },
      }),

      async reset(keys) {
        await store.reset(keys);
        onCommands(COMMANDS_OF_RESET);
      },

      ...(store.refund && {
        async refund(keys, costs, policies, decidedAt, slot) {
          const given = await store.refund!(keys, costs, policies, decidedAt, slot);
          onCommands(commandsOfRefund(policies, costs, given, slot !== undefined));
          return given;
        },
      }),

      ...(store.extend && {
        async extend(keys, policies, slot) {
          const kept = await store.extend!(keys, policies, slot);
          onCommands(commandsOfExtension(policies, kept));
          return kept;
        },
      }),
    }),
  };
}
