import type { StoreError } from "../../errors/errors.ts";
import { CrossSlotError } from "../cross-slot.ts";
import type { Store } from "../store.ts";
import { decideInParts } from "./decide-in-parts.ts";
import { extendInParts } from "./extend-in-parts.ts";
import { hashSlot, tagOf } from "./hash-slot.ts";
import { inGroups } from "./in-groups.ts";
import { refundInParts } from "./refund-in-parts.ts";

/** How many pairs of keys there are to ask about, one after the other: of one pair, the master may be dead. */
const PROBES = 8;

/**
 * Decides several partitions at once, wherever they are. One Redis takes all of them in one call; a Redis Cluster refuses
 * that, and from then on each hash slot is asked by itself, side by side. What was taken in one slot is given back when
 * another denies, so that such a denial takes two round trips.
 *
 * No more is admitted than one call would admit. A give-back that is lost costs the client units, until they leave the
 * window.
 */
export function splitStore(inner: Store): Store {
  /** Whether one call can have keys of several slots; unknown until one has had. */
  let spans: boolean | undefined;
  let probes = 0;
  const inParts = decideInParts(inner);
  const { refund } = inner;

  /** Asks about all keys with one call, unless they are known, or found, to be too far apart. */
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
          // The master of the first key may be dead, and the others answer.
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
    // A suspended store is not asked more often than its breaker wants.
    if (code !== "ERR_STORE_SUSPENDED") void probe(key.slice(0, key.indexOf(":{")));
  }

  /** Asks the store about keys of two slots. No partition key begins with `#` and is that short. */
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

    decide: (operation, keys, costs, policies, slot) =>
      ask(
        keys,
        () => inner.decide(operation, keys, costs, policies, slot),
        (slots) => inParts(operation, slots, keys, costs, policies, slot),
      ),

    ...(refund && {
      refund: (keys, ...taken) =>
        ask(
          keys,
          () => refund(keys, ...taken),
          (slots) => refundInParts(refund, slots, keys, ...taken),
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
