import type { AsyncLocalStorage } from "node:async_hooks";

import { ALL_SCRIPTS } from "../../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../../src/store/redis/client.ts";
import { redisStore } from "../../../src/store/redis/store.ts";
import type { SpendReply } from "../../../src/store/region/pools.ts";
import { type HomeStore, regionalStore } from "../../../src/store/region/regional-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { VirtualTime } from "../../support/virtual-time.ts";
import type { Books, Era } from "./books.ts";
import type { Eras } from "./clocks.ts";
import type { NearbyPools } from "./nearby.ts";
import type { Caller, Network, Way } from "./network.ts";

/** When a store counted a request, and in which of its eras. */
export interface Counted {
  readonly keys: readonly string[];
  readonly at: number;
  readonly eras: readonly Era[];
}

/** What a region counted. Objects of one request count at times of their own. */
export interface Spent {
  readonly reply: SpendReply;
  readonly keys: readonly string[];
  readonly counted: ReadonlyMap<string, { readonly at: number; readonly era: Era }>;
}

/** What a request sees of the stores. */
export interface Seen {
  spend?: Spent;
  home?: Counted;
  alone?: Counted;
  /** Units that came back at home, by key. */
  readonly back: Map<string, number>;
}

interface Parts {
  readonly time: VirtualTime;
  readonly network: Network;
  readonly requests: AsyncLocalStorage<Seen>;
  readonly books: Books;
  readonly home: { readonly client: RedisClient; readonly eras: Eras; readonly way: Way };
  readonly nearby: {
    readonly client: RedisClient;
    readonly pools: NearbyPools;
    readonly eras: Eras;
    readonly way: Way;
  };
  readonly poolOf: (key: string) => string;
}

/** The store of a region, as each of its isolates reaches it. Every run of home is noted, and what a request sees. */
export function storesOf(parts: Parts): (caller: Caller) => Store {
  const { time, network, requests, books, home, nearby, poolOf } = parts;
  const homeStore = redisStore(home.client, ALL_SCRIPTS) as HomeStore;
  const alone = redisStore(nearby.client, ALL_SCRIPTS);

  /** Carries a call out, and notes when and in which eras it was counted, once its answer is there. */
  async function counted<Of>(
    call: (run: () => Promise<Of>) => Promise<Of>,
    eras: Eras,
    keys: readonly string[],
    run: (counted: Counted) => Of | Promise<Of>,
    note: (seen: Seen, counted: Counted, answer: Of) => void,
  ): Promise<Of> {
    const seen = requests.getStore();
    let first: Counted | undefined;
    const answer = await call(async () => {
      const own = { keys, at: time.now(), eras: keys.map((key) => eras.of(key)) };
      first ??= own;
      return run(own);
    });
    if (seen) note(seen, first!, answer);
    return answer;
  }

  return (caller) => {
    const near = <Of>(run: () => Of | Promise<Of>) =>
      network.call(caller, nearby.way, async () => run());
    const far = <Of>(run: () => Of | Promise<Of>) =>
      network.call(caller, home.way, async () => run());
    // Notices count later, by keys of their own.
    const noteHome = (seen: Seen, own: Counted) => void (seen.home ??= own);

    const distant: HomeStore = {
      ...homeStore,
      decide: (operation, keys, ...asked) =>
        counted(far, home.eras, keys, () => homeStore.decide(operation, keys, ...asked), noteHome),
      take(keys, costs, policies, orders) {
        const run = async ({ at, eras }: Counted) => {
          const reply = await homeStore.take(keys, costs, policies, orders);
          keys.forEach((key, i) =>
            books.took({
              pool: poolOf(key),
              at,
              units: reply.taken[i]!,
              era: eras[i]!,
              policy: policies[i]!,
              resetUs: reply.rows[i]!.resetAfterUs,
            }),
          );
          return reply;
        };
        return counted(far, home.eras, keys, run, noteHome);
      },
      refund(keys, costs, ...asked) {
        const seen = requests.getStore();
        let given: ReturnType<NonNullable<Store["refund"]>> | undefined;
        return far(() => {
          keys.forEach((key, i) => seen?.back.set(key, costs[i]!));
          // With or without regions, a network that repeats a give-back gives back units of others.
          return (given ??= homeStore.refund!(keys, costs, ...asked));
        });
      },
      reset: (keys) =>
        far(async () => {
          await homeStore.reset(keys);
          for (const key of keys) home.eras.end(key);
        }),
    };

    return regionalStore({
      home: distant,
      pools: {
        async spend(keys, asked) {
          const seen = requests.getStore();
          const first = new Map<string, { at: number; era: Era }>();
          const note = (own: readonly string[]) => {
            for (const key of own) {
              if (!first.has(key)) first.set(key, { at: time.now(), era: home.eras.of(key) });
            }
          };
          const reply = await nearby.pools.open(near, note).spend(keys, asked);
          if (seen) seen.spend ??= { keys, counted: first, reply };
          return reply;
        },
        put: (...brought) => nearby.pools.open(near, () => {}).put(...brought),
      },
      alone: {
        decide: (operation, keys, ...asked) =>
          counted(
            near,
            nearby.eras,
            keys,
            () => alone.decide(operation, keys, ...asked),
            (seen, own) => void (seen.alone ??= own),
          ),
      },
      forget: (keys) => nearby.pools.forget(near, keys),
      now: () => time.now() / 1000,
    });
  };
}
