import { byGroup, flatten } from "../../decide/ask-store.ts";
import type { CoreSettings, LimiterContext } from "../../decide/limiter-context.ts";
import { localKeyOf } from "../../decide/local-share.ts";
import type { LocalUnits } from "../../decide/local-units.ts";
import { askedIn, type GroupVerdict } from "../../decide/step.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { DecidedAt, Slot } from "../../store/store.ts";

/** Changes a reservation at its counter. All groups of a call have the same counter. */
export interface GiveBack {
  /**
   * Gives units and slots back; `units` has a number per policy, group after group. Resolves with the number that came
   * back.
   *
   * @throws StoreError
   */
  units(
    verdicts: readonly GroupVerdict[],
    units: readonly number[],
    slot: Slot,
  ): Promise<readonly number[]>;
  /**
   * Extends slots. Resolves to true if the hold still has all of them.
   *
   * @throws StoreError
   */
  extend(verdicts: readonly GroupVerdict[], slot: Slot): Promise<boolean>;
}

export function createGiveBack(context: LimiterContext<CoreSettings>): GiveBack {
  const { store, local, clockUs, keysOf } = context;

  /** Gives back what this isolate counted in an outage. */
  function unitsHere({ asked, at }: GroupVerdict, units: readonly number[], slot: Slot): number[] {
    const keys = keysOf(asked);
    return asked.group.policies.map((policy, i) => {
      if (units[i] === 0 || !local.counts(policy)) return 0;
      const key = localKeyOf(policy, keys[i]!);
      return hasSlots(policy)
        ? local.slots!.giveBack(key, slot, clockUs())
        : returnUnits(local.units, key, policy, units[i]!, at.nowUs, clockUs());
    });
  }

  /** A call without an answer may have taken slots. The hold's id finds them on any counter. */
  async function slotsInStore(
    verdicts: readonly GroupVerdict[],
    units: readonly number[],
    slot: Slot,
  ): Promise<void> {
    const { keys, policies } = callOf(verdicts);
    const slots = policies.map((policy, i) => (hasSlots(policy) ? units[i]! : 0));
    if (!slots.includes(1)) return;
    try {
      await store.refund!(keys, slots, policies, decidedAt(verdicts), slot);
    } catch {
      // They expire by themselves.
    }
  }

  const callOf = (verdicts: readonly GroupVerdict[]) => flatten(askedIn(verdicts), keysOf);

  return {
    async units(verdicts, units, slot) {
      if (verdicts[0]!.countedBy !== "memory") {
        const { keys, policies } = callOf(verdicts);
        return store.refund!(keys, units, policies, decidedAt(verdicts), slot);
      }
      const ownUnits = byGroup(askedIn(verdicts), units);
      const refunded = verdicts.flatMap((each, i) => unitsHere(each, ownUnits[i]!, slot));
      await slotsInStore(verdicts, units, slot);
      return refunded;
    },

    async extend(verdicts, slot) {
      const isInMemory = verdicts[0]!.countedBy === "memory";
      const { keys, costs, policies } = callOf(verdicts);
      const own = [...policies.keys()].filter(
        (i) =>
          hasSlots(policies[i]!) && costs[i]! > 0 && (!isInMemory || local.counts(policies[i]!)),
      );
      const ownKeys = own.map((i) => keys[i]!);
      const ownPolicies = own.map((i) => policies[i]!);
      if (isInMemory) return local.slots!.extend(ownKeys, ownPolicies, slot, clockUs());
      const kept = await store.extend!(ownKeys, ownPolicies, slot);
      return kept.every(Boolean);
    },
  };
}

/** Gives back units that were counted here then, if their window is that of now; returns how many came back. */
function returnUnits(
  counted: LocalUnits,
  key: string,
  policy: CompiledPolicy,
  units: number,
  takenAtUs: number,
  nowUs: number,
): number {
  const { sinceUs, used } = counted.find(key, policy, nowUs);
  const isInWindow = sinceUs <= takenAtUs && takenAtUs <= nowUs;
  const back = isInWindow ? Math.min(used, units) : 0;
  if (back > 0) counted.set(key, sinceUs, used - back);
  return back;
}

/** Whether a policy gives slots to holds, instead of counting units. */
export function hasSlots({ implementation }: CompiledPolicy): boolean {
  return implementation.hasSlots === true;
}

/** The time of the count: several masters have a clock each. */
function decidedAt(verdicts: readonly GroupVerdict[]): DecidedAt {
  const clocksUs = verdicts.flatMap(({ at, rows }) => rows.map(() => at.nowUs));
  const nowUs = Math.max(...clocksUs);
  return clocksUs.every((each) => each === nowUs) ? { nowUs } : { nowUs, clocksUs };
}
