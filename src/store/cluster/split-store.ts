import type { StoreError } from "../../options/errors.ts";
import { CrossSlotError } from "../redis/errors.ts";
import type { Store } from "../store.ts";
import { decideInParts } from "./decide-in-parts.ts";
import { hashSlot, tagOf } from "./hash-slot.ts";
import { extendInParts, refundInParts } from "./holds-in-parts.ts";
import { inGroups } from "./in-groups.ts";

/** The number of pairs of keys to probe with, one after the other: the master of one pair may be dead. */
const PROBES = 8;

/**
 * Decides several partitions at once, on one or several masters. One Redis takes all of them in one call; a Redis
 * Cluster refuses that, and from then on each hash slot gets its own call, concurrently. If one slot denies, the others
 * give their units back, so that such a denial takes two round trips.
 *
 * It admits no more requests than one call would. A lost give-back costs the client units until they leave the window.
 */
export function splitStore(inner: Store): Store {
  /** Whether one call can have keys of several slots; unknown until one such call was made. */
  let spans: boolean | undefined;
  let probes = 0;
  const inParts = decideInParts(inner);
  const { refund } = inner;

  /** Asks about all keys with one call, unless they have, or prove to have, several slots. */
  async function ask<Answer>(
    keys: readonly string[],
    askWhole: () => Answer | Promise<Answer>,
    askParts: (slots: readonly number[]) => Promise<Answer>,
  ): Promise<Answer> {
    if (spans !== false) {
      try {
        const answer = await askWhole();
        if (spans === undefined && slotsOf(keys)) spans = true;
        return answer;
      } catch (error) {
        if (!(error instanceof CrossSlotError)) {
          // The master of the first key may be dead while the others answer.
          if (spans === undefined && slotsOf(keys)) probeAfter(error as StoreError, keys[0]!);
          throw error;
        }
        spans = false;
      }
    }
    const slots = slotsOf(keys);
    return slots ? askParts(slots) : askWhole();
  }

  function probeAfter({ code }: StoreError, key: string): void {
    // The breaker limits the calls to a suspended store.
    if (code !== "ERR_STORE_SUSPENDED") void probe(key.slice(0, key.indexOf(":{")));
  }

  /** Probes the store with keys of two slots. No partition key begins with `#` and is that short. */
  async function probe(prefix: string): Promise<boolean> {
    const pair = probes++ % PROBES;
    try {
      await inner.reset([`${prefix}:{#${pair}}`, `${prefix}:{#${pair + 1}}`]);
      spans = true;
    } catch (error) {
      if (error instanceof CrossSlotError) spans = false;
    }
    return spans ?? false;
  }

  return {
    ...inner,

    decide: (operation, keys, costs, policies, slot, lease) =>
      ask(
        keys,
        () => inner.decide(operation, keys, costs, policies, slot, lease),
        // A lease has one partition.
        (slots) => inParts(operation, slots, keys, costs, policies, slot),
      ),

    ...(refund && {
      refund: (keys, ...args) =>
        ask(
          keys,
          () => refund(keys, ...args),
          (slots) => refundInParts(refund, slots, keys, ...args),
        ),
    }),

    ...(inner.extend && {
      extend: (keys, policies, slot) =>
        ask(
          keys,
          () => inner.extend!(keys, policies, slot),
          (slots) => extendInParts(inner.extend!, slots, keys, policies, slot),
        ),
    }),

    reset: (keys) =>
      ask(
        keys,
        () => inner.reset(keys),
        (slots) => inGroups(slots, async (of) => inner.reset(of(keys))),
      ),

    spansPartitions: (prefix) => spans ?? probe(prefix),
  };
}

/** The hash slot of each key; `undefined` if all have the same. */
function slotsOf(keys: readonly string[]): readonly number[] | undefined {
  const first = tagOf(keys[0]!);
  if (keys.every((key) => tagOf(key) === first)) return undefined;
  const slots = keys.map(hashSlot);
  return slots.every((slot) => slot === slots[0]) ? undefined : slots;
}
