import type { Store } from "../../../src/index.ts";

/** Makes a store that counts well into one that makes a mistake. */
export type Mistake = (store: Store) => Store;

/** The mistakes that a story of holds must notice, with any policies. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  "gives back twice": (store) => ({
    ...store,
    async refund(...taken) {
      const given = await store.refund!(...taken);
      await store.refund!(...taken);
      return given;
    },
  }),
  "gives back to a later moment": (store) => ({
    ...store,
    refund: (keys, costs, policies, _decidedAt, slot) =>
      store.refund!(keys, costs, policies, { nowUs: store.now!() }, slot),
  }),
  "says that it gives back, and does not": (store) => ({
    ...store,
    refund: (keys, costs, policies, decidedAt, slot) =>
      store.refund!(
        keys,
        costs.map(() => 0),
        policies,
        decidedAt,
        slot,
      ),
  }),
  "keeps a unit of each refund": (store) => ({
    ...store,
    refund: (keys, costs, ...taken) =>
      store.refund!(
        keys,
        costs.map((cost) => Math.max(0, cost - 1)),
        ...taken,
      ),
  }),
  "gives back a unit more than it says": (store) => ({
    ...store,
    async refund(keys, costs, ...taken) {
      const given = await store.refund!(
        keys,
        costs.map((cost) => cost && cost + 1),
        ...taken,
      );
      return given.map((units, i) => Math.min(units, costs[i]!));
    },
  }),
  "admits without taking": (store) => ({
    ...store,
    decide: (operation, ...asked) =>
      store.decide(operation === "consume" ? "peek" : operation, ...asked),
  }),
  "charges nothing": (store) => ({
    ...store,
    decide: (operation, ...asked) =>
      store.decide(operation === "charge" ? "peek" : operation, ...asked),
  }),
};

/** The mistakes that a story with a concurrency policy must notice besides. */
export const MISTAKES_WITH_SLOTS: Readonly<Record<string, Mistake>> = {
  "keeps the slot of a hold that ends": (store) => ({
    ...store,
    refund: (keys, costs, policies, decidedAt) => store.refund!(keys, costs, policies, decidedAt),
  }),
  "extends no slot": (store) => ({ ...store, extend: (keys) => keys.map(() => true) }),
  "takes a slot for longer than the hold wants": (store) => ({
    ...store,
    decide: (operation, keys, costs, policies, slot) =>
      store.decide(operation, keys, costs, policies, slot && { ...slot, ttlUs: 2 * slot.ttlUs }),
  }),
};
