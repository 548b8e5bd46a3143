import { checkCost, partitionKey } from "../decide/identify.ts";
import type { PartitionRequest, Verdict } from "../decide/step.ts";
import { createGiveBack } from "../features/holds/give-back.ts";
import { setRecent } from "../runtime/lru.ts";
import { monotonicNow } from "../runtime/time.ts";
import type { DropInCore } from "./upstash-cores.ts";

const MAX_KEYS = 10_000;

/** No policy of a `Ratelimit` has slots. */
const NO_SLOT = { id: "", ttlUs: 0 };

/** A client that got units back: a denial of it that this process remembers may be over before its time. */
interface GivenBack {
  readonly core: DropInCore;
  readonly asked: PartitionRequest;
  readonly untilMs: number;
}

/** Decides, and gives units back for a cost below 0. */
export interface Refunds {
  consume(core: DropInCore, identifier: string, cost: number): Promise<Verdict>;
  /** Gives units back, at most those taken in the current window, and resolves with the rows after that. */
  giveBack(core: DropInCore, identifier: string, units: number): Promise<Verdict>;
}

/** @param windowMs the longest that a denial is remembered */
export function createRefunds(windowMs: number): Refunds {
  /** By partition, because an identifier may be of any length. */
  const known = new Map<string, GivenBack>();

  return {
    async consume(core, identifier, cost) {
      checkCost(cost);
      const remembered = known.size === 0 ? undefined : known.get(await partitionKey(identifier));
      if (remembered?.core !== core || remembered.untilMs < monotonicNow() || cost === 0) {
        return core.ask("consume", identifier, { cost });
      }
      const groups = [{ ...remembered.asked, costs: [cost] }];
      const verdict = await core.decide({ operation: "consume", groups, mustReachStore: true });
      // The denial that is remembered now came after the refund. A denial without Redis, as of a cost above the limit, is not remembered.
      if (verdict.status === 429 && verdict.groups[0]?.countedBy === "store") {
        known.delete(remembered.asked.partition);
      }
      return verdict;
    },

    async giveBack(core, identifier, units) {
      checkCost(units);
      const verdict = await core.ask("peek", identifier, { cost: 0 });
      const counted = verdict.groups[0];
      if (verdict.error || !counted) return verdict;
      await createGiveBack(core.context).units([counted], [units], NO_SLOT);
      const untilMs = monotonicNow() + windowMs;
      const { asked } = counted;
      setRecent(known, asked.partition, { core, asked, untilMs }, MAX_KEYS);
      // A part of a unit may have come back by itself meanwhile, so the units left are no sum.
      return core.ask("peek", identifier, { cost: 0 });
    },
  };
}
