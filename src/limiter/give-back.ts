import type { CompiledPolicy } from "../policy/compile.ts";
import { refundInMemory } from "../store/memory-refund.ts";
import { extendSlots } from "../store/memory-slots.ts";
import type { Memory } from "../store/memory.ts";
import type { Slot, Store } from "../store/store.ts";
import { SEEN } from "./fallback.ts";
import { localKeyOf, localPolicyOf, localShareOf } from "./local-share.ts";
import { hasSlots, type Taken } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";

/** Changes what a reservation has taken, where it was taken: in the store, or in this isolate's memory in an outage. */
export interface GiveBack {
  /** Gives units and slots back, one number per policy; resolves with how many came back. */
  units(taken: Taken, units: readonly number[]): Promise<readonly number[]>;
  /** Keeps slots for longer; resolves with whether the hold still has all of them. */
  extend(taken: Taken, slot: Slot): Promise<boolean>;
}

export function createGiveBack(
  store: Store,
  { onFailure }: LimiterSettings,
  memory: Memory,
): GiveBack {
  const clock = () => store.now?.() ?? Date.now() * 1000;

  function unitsHere({ request, keys, reply }: Taken, units: readonly number[]): number[] {
    const { slot } = request.reservation!;
    return request.selection.policies.map((policy, i) => {
      const share = localShareOf(policy.onFailure ?? onFailure);
      if (share === undefined || units[i] === 0) return 0;
      const [key, cost] = [keys[i]!, units[i]!];
      const counts = [localPolicyOf(policy, share), policy];
      const both = [localKeyOf(policy, key), key + SEEN];
      const back = refundInMemory(memory, clock(), both, [cost, cost], counts, reply.nowUs, slot);
      return back[0]!;
    });
  }

  /** A call that got no answer may have taken slots: they are known by the hold's id, wherever they are. */
  async function slotsInStore(taken: Taken): Promise<void> {
    const { selection, reservation } = taken.request;
    const slots = selection.policies.map((policy) => Number(hasSlots(policy)));
    if (!slots.includes(1)) return;
    try {
      await store.refund!(taken.keys, slots, selection.policies, taken.reply, reservation!.slot);
    } catch {
      // They end with their time.
    }
  }

  return {
    async units(taken, units) {
      const { selection, reservation } = taken.request;
      if (!taken.error) {
        const { policies } = selection;
        return store.refund!(taken.keys, units, policies, taken.reply, reservation!.slot);
      }
      const given = unitsHere(taken, units);
      await slotsInStore(taken);
      return given;
    },

    async extend({ request, keys, error }, slot) {
      const { selection, costs } = request;
      const { policies } = selection;
      // A slot is here where the policy counts here.
      const isHere = (policy: CompiledPolicy) =>
        !error || localShareOf(policy.onFailure ?? onFailure) !== undefined;
      const own = [...policies.keys()].filter(
        (i) => hasSlots(policies[i]!) && costs[i]! > 0 && isHere(policies[i]!),
      );
      const ownKeys = own.map((i) => keys[i]!);
      const ownPolicies = own.map((i) => policies[i]!);
      const kept = error
        ? extendSlots(memory, clock(), ownKeys, ownPolicies, slot)
        : await store.extend!(ownKeys, ownPolicies, slot);
      return kept.every(Boolean);
    },
  };
}
