import type { Slot } from "./model.ts";

export interface TakenSlot {
  readonly id: string;
  readonly expiresUs: number;
}

export interface ConcurrencyState {
  /** By their expiry, the first to expire first; at most as many as the highest limit and those that have expired. */
  readonly slots: readonly TakenSlot[];
}

/** The index of the first slot that expires after this moment, by binary search. */
export function firstAfter(slots: readonly TakenSlot[], atUs: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slots[middle]!.expiresUs > atUs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The slots with one more, by their expiry. */
export function withSlot(slots: readonly TakenSlot[], id: string, expiresUs: number): TakenSlot[] {
  const more = slots.slice();
  more.splice(firstAfter(slots, expiresUs), 0, { id, expiresUs });
  return more;
}

/** The state without this slot: the same object if it was not there. As `lua/refund.lua` does. */
export function withoutSlot(state: ConcurrencyState, id: string): ConcurrencyState {
  const slots = state.slots.filter((slot) => slot.id !== id);
  return slots.length < state.slots.length ? { slots } : state;
}

/**
 * The state where this slot, if it is still kept, expires its ttl from now, even if it had longer left: the same object if
 * it is not kept any more. As `lua/extend.lua` does.
 *
 * @param ttlUs the policy's
 */
export function withSlotExtended(
  state: ConcurrencyState,
  { id, ttlUs: wantedUs }: Slot,
  nowUs: number,
  ttlUs: number,
): ConcurrencyState {
  const own = state.slots.find((slot) => slot.id === id);
  if (!own || own.expiresUs <= nowUs) return state;
  const { slots } = withoutSlot(state, id);
  return { slots: withSlot(slots, id, nowUs + Math.min(ttlUs, wantedUs)) };
}
