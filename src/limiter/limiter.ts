import type { Decision } from "../decision/decision.ts";
import { partitionKey } from "../partition/partition-key.ts";
import type { Store } from "../store/store.ts";
import { checkCost, type CostOptions, costOf } from "./cost.ts";
import { createDecisionPath } from "./decision-path.ts";
import type { LimiterSettings } from "./settings.ts";

/** Several policies that are always decided together. */
export interface Limiter {
  /**
   * Decides a request of this identity, and takes its cost if every policy has room; else it takes nothing.
   *
   * It always answers: if Redis does not, the policies' `onFailure` decides.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`
   * @example
   * const decision = await limiter.limit("user:42", { cost: 3 });
   * if (!decision.allowed) return decision.response();
   */
  limit(identity: string, options?: CostOptions): Promise<Decision>;

  /** Says what `limit()` would answer now, and takes nothing. */
  peek(identity: string, options?: CostOptions): Promise<Decision>;

  /**
   * Takes a cost that is known only afterwards (LLM tokens, bytes), whatever is left. A policy goes into debt by its
   * limit at most. `allowed` says whether it had room.
   *
   * @example
   * await limiter.charge("user:42", 812);
   */
  charge(identity: string, cost: number): Promise<Decision>;

  /**
   * Gives this identity its whole quota back. Other isolates may go on denying what they know for up to a minute.
   *
   * @throws StoreError if Redis did not confirm it
   */
  reset(identity: string): Promise<void>;
}

/** A limiter of checked settings, over a store that answers or fails in time. */
export function buildLimiter(store: Store, settings: LimiterSettings): Limiter {
  const { limit, ask, neverFits, forget } = createDecisionPath(store, settings);

  return {
    limit,

    async peek(identity, options) {
      const cost = costOf(options);
      const partition = await partitionKey(identity);
      return neverFits(partition, cost) ?? ask("peek", partition, cost);
    },

    async charge(identity, cost) {
      checkCost(cost);
      const partition = await partitionKey(identity);
      return ask(cost === 0 ? "peek" : "charge", partition, cost);
    },

    async reset(identity) {
      await forget(await partitionKey(identity));
    },
  };
}
