import { decideInParts } from "./cluster/decide-in-parts.ts";
import { tagOf } from "./cluster/hash-slot.ts";
import { extendInParts, refundInParts } from "./cluster/holds-in-parts.ts";
import { inGroups } from "./cluster/in-groups.ts";
import type { GuardedStore } from "./guarded-store.ts";
import type { Store } from "./store.ts";

/**
 * Makes a call for each partition, concurrently, as on the masters of a Redis Cluster: if one object denies, the others
 * give their units back.
 */
export function perPartition({ decide, refund, extend, reset }: GuardedStore): Store {
  const inParts = decideInParts({ decide, refund: refund!, reset });
  return {
    decide(operation, keys, costs, policies, slot, lease) {
      const places = placesOf(keys);
      return places
        ? inParts(operation, places, keys, costs, policies, slot)
        : decide(operation, keys, costs, policies, slot, lease);
    },

    refund(keys, ...args) {
      const places = placesOf(keys);
      return places ? refundInParts(refund!, places, keys, ...args) : refund!(keys, ...args);
    },

    extend(keys, ...more) {
      const places = placesOf(keys);
      return places ? extendInParts(extend!, places, keys, ...more) : extend!(keys, ...more);
    },

    reset(keys) {
      const places = placesOf(keys);
      return places ? inGroups(places, async (of) => reset(of(keys))) : reset(keys);
    },

    spansPartitions: () => false,
  };
}

/** A number for the partition of each key; `undefined` if all have the same. */
export function placesOf(keys: readonly string[]): readonly number[] | undefined {
  const tags = keys.map(tagOf);
  const places = tags.map((tag) => tags.indexOf(tag));
  return places.every((place) => place === 0) ? undefined : places;
}
