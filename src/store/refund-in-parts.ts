import type { CompiledPolicy } from "../policy/compile.ts";
import type { DecidedAt, Slot, Store } from "./store.ts";

/**
 * Gives back in parts, one for each hash slot, side by side, each by the clock of the master that took. A part in which
 * nothing shall come back is not asked. It fails if one of them does, once all have ended: whoever waits for it may then
 * end the isolate.
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
  const given = keys.map(() => 0);

  async function giveBack(slot: number): Promise<void> {
    const returns = (i: number) =>
      costs[i]! > 0 || (hold !== undefined && policies[i]!.implementation.hasSlots === true);
    const indices = slots.flatMap((each, i) => (each === slot && returns(i) ? [i] : []));
    if (indices.length === 0) return;
    const of = <Item>(list: readonly Item[]) => indices.map((i) => list[i]!);
    const takenAtUs = clocksUs?.[indices[0]!] ?? nowUs;
    const units = await refund(of(keys), of(costs), of(policies), { nowUs: takenAtUs }, hold);
    indices.forEach((index, i) => (given[index] = units[i]!));
  }

  const ended = await Promise.allSettled([...new Set(slots)].map(giveBack));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return given;
}
