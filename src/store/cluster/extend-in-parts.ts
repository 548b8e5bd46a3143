import type { Slot } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Store } from "../store.ts";
import { inGroups } from "./in-groups.ts";

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
