import { StoreError } from "../../src/options/errors.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { CrossSlotError } from "../../src/store/redis/errors.ts";
import type { Store } from "../../src/store/store.ts";
import { limiterOver } from "../support/limiter/limiter-over.ts";
import type { Policy } from "../support/limiter/plain.ts";

/** The fate of a call: it runs and is answered; it runs, and the answer is lost; it is lost before; it is not sent. */
export type Fate = "answered" | "answer lost" | "lost" | "not sent";

export type Call = "consume" | "peek" | "charge" | "refund" | "extend";

export interface Ran {
  readonly call: Call;
  readonly keys: readonly string[];
  readonly units: readonly number[];
  readonly fate: Fate;
}

/**
 * Two masters of a Redis Cluster: keys of two hash slots are refused in one call, as by a Cluster. Each call about a master
 * meets its fate there, and is written down.
 *
 * @param fateOf decides the fate of a call, by its first key
 */
export function twoMasters(nowUs: () => number, fateOf: (key: string, call: Call) => Fate) {
  const masters = [openMemoryStore({ now: nowUs }), openMemoryStore({ now: nowUs })] as const;
  const masterOf = (key: string) => masters[hashSlot(key) % 2]!;
  const calls: Ran[] = [];

  async function meet<Answer>(
    call: Call,
    keys: readonly string[],
    units: readonly number[],
    run: (master: Store) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    if (new Set(keys.map(hashSlot)).size > 1) throw new CrossSlotError();
    const fate = fateOf(keys[0]!, call);
    calls.push({ call, keys, units, fate });
    if (fate === "not sent") throw new StoreError("ERR_STORE_SUSPENDED", "not asked");
    if (fate === "lost") throw new StoreError("ERR_STORE_TIMEOUT", "lost");
    const answer = await run(masterOf(keys[0]!));
    if (fate === "answer lost") throw new StoreError("ERR_STORE_TIMEOUT", "answer lost");
    return answer;
  }

  const store: Store = {
    decide: (operation, keys, costs, policies, slot) =>
      meet(operation as Call, keys, costs, (master) =>
        master.decide(operation, keys, costs, policies, slot),
      ),
    refund: (keys, costs, policies, at, slot) =>
      meet("refund", keys, costs, async (master) =>
        master.refund!(keys, costs, policies, at, slot),
      ),
    extend: (keys, policies, slot) =>
      meet("extend", keys, [], async (master) => master.extend!(keys, policies, slot)),
    reset: (keys) => {
      if (new Set(keys.map(hashSlot)).size > 1) throw new CrossSlotError();
      for (const key of keys) void masterOf(key).reset([key]);
    },
  };
  return { store, calls, masterOf };
}

/** Identities whose keys lie on different masters. */
export const ONE = "a";
export const OTHER = ["b", "c", "d", "e"].find(
  (name) => hashSlot(`tg:{${name}}:x`) % 2 !== hashSlot(`tg:{${ONE}}:x`) % 2,
)!;
export const BOTH = { one: ONE, other: OTHER };

/** A limiter over two masters. A test sets the fate of the calls about an identity, or about a shard of it. */
export function limiterOnTwoMasters(policies: readonly Policy[], nowUs = 1_800_000_000_000_000) {
  const fates = new Map<string, Fate>();
  const masters = twoMasters(
    () => nowUs,
    (key) => fates.get(key.slice(key.indexOf("{") + 1, key.indexOf("}"))) ?? "answered",
  );
  // Of shards always the first.
  const limiter = limiterOver(splitStore(masters.store), { policies }, { random: () => 0 });
  return { limiter, fates, ...masters };
}
