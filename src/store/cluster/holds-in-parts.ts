import type { Slot } from "../../algorithms/model.ts";
import type { StoreError } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { PartialRefundError } from "../partial-reply.ts";
import type { DecidedAt, Store } from "../store.ts";
import { inGroups } from "./in-groups.ts";

/**
 * Gives units back in parts, one for each hash slot, concurrently, each by the clock of the master that took them. It
 * skips parts without units to give back. If one fails, it rejects once all have ended, because the isolate may end
 * after that.
 *
 * @throws PartialRefundError with the units that came back, and the failures of the other policies
 */
export async function refundInParts(
  refund: NonNullable<Store["refund"]>,
  slots: readonly number[],
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
  { nowUs, clocksUs }: DecidedAt,
  hold?: Slot,
): Promise<readonly number[]> {
  const refunded = keys.map(() => 0);
  const failures = Array<StoreError | undefined>(keys.length);

  const returns = (i: number) =>
    costs[i]! > 0 || (hold !== undefined && policies[i]!.implementation.hasSlots === true);

  async function giveBack(slot: number): Promise<void> {
    const indices = slots.flatMap((each, i) => (each === slot && returns(i) ? [i] : []));
    if (indices.length === 0) return;
    const of = <Item>(list: readonly Item[]) => indices.map((i) => list[i]!);
    const takenAtUs = clocksUs?.[indices[0]!] ?? nowUs;
    try {
      const units = await refund(of(keys), of(costs), of(policies), { nowUs: takenAtUs }, hold);
      indices.forEach((index, i) => (refunded[index] = units[i]!));
    } catch (error) {
      for (const index of indices) failures[index] = error as StoreError;
    }
  }

  await Promise.all([...new Set(slots)].map(giveBack));
  if (failures.some((failure) => failure)) throw new PartialRefundError(failures, refunded);
  return refunded;
}

/** Extends the slots of a hold in all places, concurrently. */
export async function extendInParts(
  extend: NonNullable<Store["extend"]>,
  places: readonly number[],
  keys: readonly string[],
  policies: readonly CompiledPolicy[],
  slot: Slot,
): Promise<readonly boolean[]> {
  const kept = keys.map(() => true);
  try {
    await inGroups(places, async (of) => {
      const answers = await extend(of(keys), of(policies), slot);
      of(places.map((_, i) => i)).forEach((index, i) => (kept[index] = answers[i]!));
    });
  } catch (error) {
    // One expired slot decides the result, even if other calls failed.
    if (kept.every(Boolean)) throw error;
  }
  return kept;
}
