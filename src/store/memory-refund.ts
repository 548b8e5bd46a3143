import { type Slot, wholeUnits } from "../algorithms/model.ts";
import { refund } from "../algorithms/refund.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import { giveBackSlot } from "./memory-slots.ts";
import type { States } from "./states.ts";

/** Gives units back as a store does, at this moment. */
export function refundInMemory(
  states: States,
  nowUs: number,
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CountedPolicy[],
  takenAtUs: number,
  slot?: Slot,
): number[] {
  return keys.map((key, i) => {
    const { algorithm, implementation, limit, parameters } = policies[i]!;
    if (implementation.hasSlots) return giveBackSlot(states, nowUs, key, slot);
    const entry = states.entry(key);
    if (!entry || costs[i] === 0) return 0;
    const request = { nowUs, takenAtUs, cost: costs[i]!, limit, parameters };
    const { refunded, state } = refund(algorithm, entry.state, request);
    states.keep(key, state, entry.endsUs);
    return wholeUnits(refunded, parameters);
  });
}
