import type { Slot } from "../algorithms/model.ts";
import { type ConcurrencyState, withSlotExtended } from "../algorithms/slots.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import type { Memory } from "./memory.ts";

/** Extends the slots of a hold, as `lua/extend.lua` does; returns for each policy whether its slot is kept. */
export function extendSlots(
  memory: Memory,
  nowUs: number,
  keys: readonly string[],
  policies: readonly CountedPolicy[],
  slot: Slot,
): readonly boolean[] {
  return policies.map(({ implementation, parameters }, i) => {
    if (!implementation.hasSlots) return true;
    const entry = memory.entry(keys[i]!);
    if (!entry) return false;
    const state = entry.state as ConcurrencyState;
    const extended = withSlotExtended(state, slot, nowUs, parameters["ttlUs"]!);
    if (extended === state) return false;
    memory.keep(keys[i]!, extended, extended.slots.at(-1)!.expiresUs);
    return true;
  });
}
