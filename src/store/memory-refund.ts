import { type Slot, wholeUnits } from "../algorithms/model.ts";
import { refund } from "../algorithms/refund.ts";
import { type ConcurrencyState, withoutSlot } from "../algorithms/slots.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import type { Memory } from "./memory.ts";

/**
 * Gives units back as a store does, at this moment. It is no method of the memory, because it needs the refunds of all
 * algorithms: bundles without refunds in memory do not contain them.
 */
export function refundInMemory(
  memory: Memory,
  nowUs: number,
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CountedPolicy[],
  takenAtUs: number,
  slot?: Slot,
): number[] {
  return keys.map((key, i) => {
    const { algorithm, implementation, limit, parameters } = policies[i]!;
    const entry = memory.entry(key);
    if (!entry) return 0;
    if (implementation.hasSlots) {
      const state = entry.state as ConcurrencyState;
      const own = state.slots.find(({ id }) => id === slot?.id);
      if (own) memory.keep(key, withoutSlot(state, own.id), entry.endsUs);
      // An expired slot has come back by itself.
      return Number(own !== undefined && own.expiresUs > nowUs);
    }
    if (costs[i] === 0) return 0;
    const request = { nowUs, takenAtUs, cost: costs[i]!, limit, parameters };
    const { refunded, state } = refund(algorithm, entry.state, request);
    memory.keep(key, state, entry.endsUs);
    return wholeUnits(refunded, parameters);
  });
}
