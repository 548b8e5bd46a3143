import { MODELS } from "../algorithms/all.ts";
import type { AnyModel, Operation, Slot } from "../algorithms/model.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import { decideTogether } from "./decide-together.ts";
import { createStates, type MemoryBounds, type States } from "./states.ts";
import type { Reply } from "./store.ts";

/** Counts in this isolate's memory by the algorithms' own models; the caller gives the time. */
export interface Memory extends States {
  /** Decides as a store does, at this moment, in microseconds since 1970; all operations but `lease`. */
  decide(
    nowUs: number,
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CountedPolicy[],
    slot?: Slot,
  ): Reply;
}

/** A sliding window log distinguishes 128 moments; beyond that, some units count longer, by at most 1/63 of the window. */
export function createMemory(bounds?: MemoryBounds): Memory {
  const states = createStates(modelOf, bounds);

  return {
    ...states,
    decide(nowUs, operation, keys, costs, policies, slot) {
      const rows = states.transact(
        nowUs,
        keys,
        policies,
        (ask) => decideTogether(operation, costs, policies, ask),
        slot,
      );
      return { nowUs, rows };
    },
  };
}

export function modelOf({
  algorithm,
  implementation,
}: Pick<CountedPolicy, "algorithm" | "implementation">): AnyModel {
  return (implementation.model ?? MODELS[algorithm]) as AnyModel;
}
