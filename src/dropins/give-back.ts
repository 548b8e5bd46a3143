import type { GroupVerdict } from "../decide/step.ts";
import { createGiveBack } from "../features/holds/give-back.ts";
import type { Slot } from "../store/store.ts";
import type { DropInCore } from "./open-cores.ts";

/** No policy of a drop-in has slots. */
const NO_SLOT: Slot = { id: "", ttlUs: 0 };

/**
 * Gives units back to the policies of a verdict, a number for each. Resolves with the numbers that came back.
 *
 * @throws StoreError if the store gives no answer
 */
export function giveBackOf({ kit }: DropInCore) {
  const giveBack = createGiveBack(kit);
  return (verdict: GroupVerdict, units: readonly number[]): Promise<readonly number[]> =>
    giveBack.units([verdict], units, NO_SLOT);
}
