import type { Decision } from "../decision/decision.ts";
import { partitionKey } from "../partition/partition-key.ts";
import type { Store } from "../store/store.ts";
import { checkCost, type CostOptions, costOf } from "./cost.ts";
import { createDecisionPath } from "./decision-path.ts";
import type { LimiterSettings } from "./settings.ts";

/** Several policies that are always decided together. */
export interface Limiter {
  /**
   * Decides a request of this identity. It takes the cost if every policy has room, and nothing otherwise.
   *
   * It always resolves with a decision: if Redis does not answer, each policy's `onFailure` decides.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`
   * @example
   * const decision = await limiter.limit("user:42", { cost: 3 });
   * if (!decision.allowed) return decision.response();
   */
  limit(identity: string, options?: CostOptions): Promise<Decision>;

  /** Reports what `limit()` would decide now, and takes nothing. */
  peek(identity: string, options?: CostOptions): Promise<Decision>;

  /**
   * Takes a cost that is known only afterwards (LLM tokens, bytes), whatever is left. A policy goes into debt by at
   * most its limit. `allowed` says whether it had room.
   *
   * @example
   * await limiter.charge("user:42", 812);
   */
  charge(identity: string, cost: number): Promise<Decision>;

  /**
   * Restores the whole quota of this identity. Other isolates may repeat denials that they know for up to a minute.
   *
   * @throws StoreError if Redis did not confirm it
   */
  reset(identity: string): Promise<void>;
}

/** Makes a limiter from checked settings and a store that answers or fails in time. */
export function buildLimiter(store: Store, settings: LimiterSettings): Limiter {
  const { limit, ask, exceedsLimit, forget } = createDecisionPath(store, settings);

  return {
    limit,

    async peek(identity, options) {
      const cost = costOf(options);
      const partition = await partitionKey(identity);
      return exceedsLimit(partition, cost) ?? ask("peek", partition, cost);
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
