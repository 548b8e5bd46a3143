import { checkCost } from "../../decide/cost.ts";
import type { AskedGroup, GroupVerdict, Verdict } from "../../decide/step.ts";
import { createGiveBack } from "../../features/holds/give-back.ts";
import { monotonicNow } from "../../runtime/clock.ts";
import { setRecent } from "../../runtime/lru.ts";
import type { Slot } from "../../store/store.ts";
import type { Core } from "../open-cores.ts";

const MAX_KEYS = 10_000;
const NO_SLOT: Slot = { id: "", ttlUs: 0 };

/** Who got units back: a denial that this process remembers of them may be over before its time. */
interface GivenBack {
  readonly core: Core;
  readonly asked: AskedGroup;
  readonly untilMs: number;
}

/** Decides, and gives units back for a cost below 0. */
export interface Refunds {
  consume(core: Core, identifier: string, cost: number): Promise<Verdict>;
  /** Gives back as much as was taken in what counts now, and resolves with the rows as they are then. */
  giveBack(core: Core, identifier: string, units: number): Promise<Verdict>;
}

/** @param windowMs the longest that a denial is remembered */
export function createRefunds(windowMs: number): Refunds {
  const known = new Map<string, GivenBack>();

  return {
    async consume(core, identifier, cost) {
      const given = known.get(identifier);
      if (given?.core !== core || given.untilMs < monotonicNow() || cost === 0) {
        return core.ask("consume", identifier, { cost });
      }
      const groups = [{ ...given.asked, costs: [cost] }];
      const verdict = await core.decide({ operation: "consume", groups, mustReachStore: true });
      // What is remembered now is of after the refund.
      if (verdict.status === 429) known.delete(identifier);
      return verdict;
    },

    async giveBack(core, identifier, units) {
      checkCost(units);
      const verdict = await core.ask("peek", identifier, { cost: 0 });
      const taken = verdict.groups[0];
      if (verdict.error || !taken) return verdict;
      const [back = 0] = await createGiveBack(core.kit).units([taken], [units], NO_SLOT);
      const untilMs = monotonicNow() + windowMs;
      setRecent(known, identifier, { core, asked: taken.asked, untilMs }, MAX_KEYS);
      return { ...verdict, groups: [withRemaining(taken, back)] };
    },
  };
}

function withRemaining(verdict: GroupVerdict, back: number): GroupVerdict {
  const rows = verdict.rows.map((row) => ({
    ...row,
    allowed: row.allowed || back > 0,
    remaining: row.remaining + back,
  }));
  return { ...verdict, rows };
}
