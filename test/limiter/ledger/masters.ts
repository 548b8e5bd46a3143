import type { Redis } from "ioredis";

import { hashSlot } from "../../../src/store/cluster/hash-slot.ts";
import { storeOver } from "../../../src/store/memory-store.ts";
import { createMemory } from "../../../src/store/memory.ts";
import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import { CrossSlotError } from "../../../src/store/redis/errors.ts";
import { redisStore } from "../../../src/store/redis/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { redisWithClock } from "../../support/redis-with-clock.ts";

/** The servers of a story, past every fault. */
export interface Masters {
  readonly count: number;
  /** The number of the master that has this key. */
  of(key: string): number;
  store(master: number): Pick<Store, "decide" | "refund" | "extend" | "reset">;
  /** The answer to keys of several hash slots: `undefined` if it takes them. */
  readonly refuse: ((keys: readonly string[]) => Promise<never>) | undefined;
  /** A master's clock, in microseconds since 1970. */
  nowUs(master: number): number;
  /** Everything that is kept of these keys. */
  state(keys: Iterable<string>): Promise<Readonly<Record<string, string>>>;
  /** Deletes the keys of a story: its clock is years ahead, and by it keys expire. */
  clear(keys: Iterable<string>): Promise<void>;
  /** The beginning of a story's keys. */
  readonly prefix: string;
}

/** Makes the masters of a story, whose clock this is. */
export type OpenMasters = (nowUs: () => number) => Masters;

const SLOTS = 16_384;
/** The clocks of masters differ. */
const OFFSETS_US = [0, 137, -251] as const;

const masterOf = (key: string, count: number) => Math.floor((hashSlot(key) * count) / SLOTS);

/** Masters in memory, which refuse keys of several slots as a Cluster does, if there are several. */
export function mastersInMemory(count: 1 | 3): OpenMasters {
  return (nowUs) => {
    const clocks = Array.from({ length: count }, (_, i) => () => nowUs() + OFFSETS_US[i]!);
    const memories = clocks.map(() => createMemory());
    const stores = clocks.map((clock, i) => storeOver(memories[i]!, clock));
    const of = (key: string) => masterOf(key, count);
    return {
      count,
      of,
      prefix: "tg",
      store: (master) => stores[master]!,
      nowUs: (master) => clocks[master]!(),
      refuse: count > 1 ? () => Promise.reject(new CrossSlotError()) : undefined,
      // They end with the story.
      clear: async () => {},
      async state(keys) {
        return Object.fromEntries(
          [...keys].map((key) => {
            // The time at which it may be dropped is no part of its count.
            const state = memories[of(key)]!.entry(key)?.state;
            return [key, JSON.stringify({ state })];
          }),
        );
      },
    };
  };
}

/**
 * Real Redis servers: one, or the three masters of a Cluster.
 *
 * @param redis a connection to each master, in the order of their slots
 */
export function mastersInRedis(redis: readonly Redis[]): OpenMasters {
  return (nowUs) => {
    const count = redis.length;
    const clocks = redis.map((_, i) => () => nowUs() + OFFSETS_US[i]!);
    const stores = redis.map((each, i) =>
      redisStore(redisWithClock(each, clocks[i]!), ALL_SCRIPTS),
    );
    const of = (key: string) => masterOf(key, count);
    return {
      count,
      of,
      prefix: crypto.randomUUID(),
      store: (master) => stores[master]! as ReturnType<Masters["store"]>,
      nowUs: (master) => clocks[master]!(),
      refuse:
        count > 1
          ? async (keys) => {
              await stores[of(keys[0]!)]!.reset(keys);
              throw new Error("a Cluster took keys of several slots");
            }
          : undefined,
      async clear(keys) {
        await Promise.all([...keys].map((key) => redis[of(key)]!.del(key)));
      },
      async state(keys) {
        const states = [...keys].map(async (key) => {
          const server = redis[of(key)]!;
          const [bytes, expires] = await Promise.all([
            server.dumpBuffer(key),
            server.pexpiretime(key),
          ]);
          return [key, `${bytes?.toString("hex")} until ${expires}`] as const;
        });
        return Object.fromEntries(await Promise.all(states));
      },
    };
  };
}
