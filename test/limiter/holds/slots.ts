import type { Slot } from "../../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import type { GivingBack, Moment, Report, Reserving } from "./account.ts";

/** When a slot expires: by the store's clock, and as if that had never stepped back. */
interface Held {
  untilUs: number;
  untilTimeUs: number;
}

/** The holders of the slots of one key. */
export interface SlotAccount {
  reserve(asked: Reserving, slot: Slot): void;
  giveBack(asked: Omit<GivingBack, "cost">): void;
  extend(policy: CompiledPolicy, slot: Slot, at: Moment, kept: boolean): void;
}

export function slotAccount(report: Report): SlotAccount {
  const slots = new Map<string, Held>();

  const live = ({ nowUs, timeUs, backs }: Moment) =>
    [...slots.values()].filter(({ untilUs, untilTimeUs }) =>
      backs > 0 ? untilTimeUs > timeUs : untilUs > nowUs,
    ).length;

  const until = ({ parameters }: CompiledPolicy, slot: Slot, { nowUs, timeUs }: Moment) => {
    const ttlUs = Math.min(parameters["ttlUs"]!, slot.ttlUs);
    return { untilUs: nowUs + ttlUs, untilTimeUs: timeUs + ttlUs };
  };

  return {
    reserve({ policy, cost, at, hold, allowed, took }, slot) {
      const hasRoom = cost === 0 || live(at) < policy.limit;
      if (allowed && !hasRoom) report(`more than ${policy.limit} slots are held`);
      // After a step back a slot that had expired may count again.
      if (!allowed && hasRoom && at.backs === 0) report("a slot is denied that nobody holds");
      if (took && cost > 0) slots.set(hold, until(policy, slot, at));
    },

    giveBack({ at, hold, given }) {
      const held = slots.get(hold);
      slots.delete(hold);
      const isLive = held !== undefined && held.untilUs > at.nowUs;
      if (given > 0 && !held) report("a slot comes back that was not held");
      if (at.backs === 0 && given !== Number(isLive)) {
        report(`a slot ${given > 0 ? "comes" : "does not come"} back`);
      }
    },

    extend(policy, slot, at, kept) {
      const held = slots.get(slot.id);
      const isLive = held !== undefined && held.untilUs > at.nowUs;
      if (at.backs === 0 && kept !== isLive) report(`a slot is ${kept ? "" : "not "}extended`);
      if (kept) slots.set(slot.id, until(policy, slot, at));
    },
  };
}
