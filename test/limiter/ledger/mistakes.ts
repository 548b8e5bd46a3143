import type { Store } from "../../support/limiter/plain.ts";
import { mastersInMemory, type OpenMasters } from "./masters.ts";

/** Makes a store that counts well into one that makes a mistake. */
type Mistake = (store: Store) => Partial<Store>;

/** Changes the units of each refund on their way to the store. */
const givingBack =
  (change: (cost: number) => number): Mistake =>
  (store) => ({
    refund: (keys, costs, ...taken) => store.refund!(keys, costs.map(change), ...taken),
  });

const lookingAtEach =
  (mistaken: string): Mistake =>
  (store) => ({
    decide: (operation, ...asked) =>
      store.decide(operation === mistaken ? "peek" : operation, ...asked),
  });

/** Mistakes of a store that stories must notice. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  "gives back twice": (store) => ({
    async refund(...taken) {
      const given = await store.refund!(...taken);
      await store.refund!(...taken);
      return given;
    },
  }),
  "gives back to a later moment": (store) => ({
    refund: (keys, costs, policies, _decidedAt, slot) =>
      store.refund!(keys, costs, policies, { nowUs: store.now!() }, slot),
  }),
  "gives nothing back": givingBack(() => 0),
  "keeps a unit of each refund": givingBack((cost) => Math.max(0, cost - 1)),
  "gives back a unit more than it says": (store) => ({
    async refund(keys, costs, ...taken) {
      const more = costs.map((cost) => cost && cost + 1);
      const given = await store.refund!(keys, more, ...taken);
      return given.map((units, i) => Math.min(units, costs[i]!));
    },
  }),
  "admits without taking": lookingAtEach("consume"),
  "charges nothing": lookingAtEach("charge"),
  "keeps the slot of a hold that ends": (store) => ({
    refund: (keys, costs, policies, decidedAt) => store.refund!(keys, costs, policies, decidedAt),
  }),
  "extends no slot": () => ({ extend: (keys) => keys.map(() => true) }),
  "takes a slot for longer than the hold wants": (store) => ({
    decide: (operation, keys, costs, policies, slot) =>
      store.decide(operation, keys, costs, policies, slot && { ...slot, ttlUs: 2 * slot.ttlUs }),
  }),
};

/** A master in memory that makes a mistake. */
export function mistakenMaster(mistake: Mistake): OpenMasters {
  return (nowUs) => {
    const masters = mastersInMemory(1)(nowUs);
    const store = { ...masters.store(0), now: () => masters.nowUs(0) };
    return { ...masters, store: () => ({ ...store, ...mistake(store) }) };
  };
}
