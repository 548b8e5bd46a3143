import { type ConcurrencyState, withoutSlot, withSlotExtended } from "../algorithms/concurrency.ts";
import type { Slot } from "../algorithms/model.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import type { States } from "./states.ts";

/** Gives the slot of a hold back, as `lua/refund.lua` does; returns how many came back. */
export function giveBackSlot(
  states: States,
  nowUs: number,
  key: string,
  slot: Slot | undefined,
): number {
  const entry = states.entry(key);
  const state = entry?.state as ConcurrencyState | undefined;
  const own = state?.slots.find(({ id }) => id === slot?.id);
  if (own) states.keep(key, withoutSlot(state!, own.id), entry!.endsUs);
  // An expired slot has come back by itself.
  return Number(own !== undefined && own.expiresUs > nowUs);
}

/** Extends the slots of a hold, as `lua/extend.lua` does; returns for each policy whether its slot is kept. */
export function extendSlots(
  states: States,
  nowUs: number,
  keys: readonly string[],
  policies: readonly CountedPolicy[],
  slot: Slot,
): readonly boolean[] {
  return policies.map(({ implementation, parameters }, i) => {
    if (!implementation.hasSlots) return true;
    const entry = states.entry(keys[i]!);
    if (!entry) return false;
    const state = entry.state as ConcurrencyState;
    const extended = withSlotExtended(state, slot, nowUs, parameters["ttlUs"]!);
    if (extended === state) return false;
    states.keep(keys[i]!, extended, extended.slots.at(-1)!.expiresUs);
    return true;
  });
}
