import type { AnyModel, Operation, Pass, Row, Slot } from "../algorithms/model.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import { extendSlots, giveBackSlot } from "../store/memory-slots.ts";
import { createStates } from "../store/states.ts";

/** The slots that this isolate has given without the store, by the keys of policies. */
export interface LocalSlots {
  ask(
    key: string,
    policy: CountedPolicy,
    pass: Pass | Operation,
    cost: number,
    nowUs: number,
    slot: Slot | undefined,
  ): Row;
  /** Returns how many came back: 1 or 0. */
  giveBack(key: string, slot: Slot, nowUs: number): number;
  /** Returns whether all of them are kept. */
  extend(
    keys: readonly string[],
    policies: readonly CountedPolicy[],
    slot: Slot,
    nowUs: number,
  ): boolean;
  forget(key: string): void;
}

export function createLocalSlots(): LocalSlots {
  const states = createStates(({ implementation }) => implementation.model as AnyModel);

  return {
    ask: (key, policy, pass, cost, nowUs, slot) =>
      states.transact(nowUs, [key], [policy], (ask) => ask(0, pass, cost), slot),
    giveBack: (key, slot, nowUs) => giveBackSlot(states, nowUs, key, slot),
    extend: (keys, policies, slot, nowUs) =>
      extendSlots(states, nowUs, keys, policies, slot).every(Boolean),
    forget: (key) => states.reset([key]),
  };
}
