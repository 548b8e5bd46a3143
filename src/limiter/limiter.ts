import type { Decision } from "../decision/decision.ts";
import type { Store } from "../store/store.ts";
import { checkCallOptions, checkCost, type Cost, type CostOptions, costsOf } from "./cost.ts";
import { createDecisionPath } from "./decision-path.ts";
import { compileDimensions, type Identity } from "./dimensions.ts";
import { allParts } from "./path-parts.ts";
import type { PartitionedRequest } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";
import { throughShards } from "./sharding.ts";

export interface LimitOptions extends CostOptions {
  /** The plan of this client: one of the limiter's `plans`. Default: the policies as they are. */
  readonly plan?: string | undefined;
}

/** Several policies that are always decided together. */
export interface Limiter {
  /**
   * Decides a request of this identity. It takes the cost if every policy has room, and nothing otherwise.
   *
   * It always resolves with a decision: if Redis does not answer, each policy's `onFailure` decides.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`, `ERR_PLAN`
   * @example
   * const decision = await limiter.limit("user:42", { cost: 3 });
   * if (!decision.allowed) return decision.response();
   * @example
   * // Policies with `by`, of which "tokens" costs more than one:
   * await limiter.limit({ ip: "203.0.113.7", key: "k_123" }, { cost: { tokens: 400 } });
   */
  limit(identity: Identity, options?: LimitOptions): Promise<Decision>;

  /** Reports what `limit()` would decide now, and takes nothing. */
  peek(identity: Identity, options?: LimitOptions): Promise<Decision>;

  /**
   * Takes a cost that is known only afterwards (LLM tokens, bytes), whatever is left. A policy goes into debt by at
   * most its limit. `allowed` says whether it had room.
   *
   * @example
   * await limiter.charge("user:42", 812);
   */
  charge(identity: Identity, cost: Cost, options?: Omit<LimitOptions, "cost">): Promise<Decision>;

  /**
   * Restores the whole quota of this identity. What everybody shares (`by: "*"`) stays, unless the identity has a
   * dimension `"*"`, with any value. Other isolates may repeat denials that they know for up to a minute.
   *
   * @throws StoreError if Redis did not confirm it
   * @throws TidegateError `ERR_IDENTITY`
   * @example
   * await limiter.reset({ account: "ada" });
   */
  reset(identity: Identity): Promise<void>;
}

const CALL_OPTIONS = ["cost", "plan"];

/** Makes a limiter from checked settings and a store that answers or fails in time. */
export function buildLimiter(store: Store, settings: LimiterSettings): Limiter {
  const plain = createDecisionPath(store, settings, allParts());
  const isSharded = settings.policies.some(({ shards }) => shards > 1);
  const path = isSharded ? throughShards(plain, settings) : plain;
  const dimensions = compileDimensions(path, settings);

  /** Does not wait where it has nothing to wait for, so that a known denial is answered at once. */
  function requestOf(
    identity: Identity,
    options: LimitOptions | null | undefined,
  ): PartitionedRequest | Promise<PartitionedRequest> {
    // Untyped code may give null.
    const { cost, plan } = options ?? {};
    const found = dimensions.of(identity, plan);
    return found instanceof Promise
      ? found.then((partitioned) => withCosts(partitioned, cost))
      : withCosts(found, cost);
  }

  function withCosts(
    { selection, partitions }: Omit<PartitionedRequest, "costs">,
    cost: Cost | undefined,
  ): PartitionedRequest {
    return { selection, partitions, costs: costsOf(cost, selection, settings.policies) };
  }

  return {
    // Not async: a promise around the path's would cost as much as a known denial itself.
    limit(identity, options) {
      try {
        checkCallOptions(options, CALL_OPTIONS);
        const request = requestOf(identity, options);
        return request instanceof Promise ? request.then(path.limit) : path.limit(request);
      } catch (error) {
        return Promise.reject(error as Error);
      }
    },

    async peek(identity, options) {
      checkCallOptions(options, CALL_OPTIONS);
      const request = await requestOf(identity, options);
      return path.exceedsLimit(request) ?? path.ask("peek", request);
    },

    async charge(identity, cost, options) {
      checkCallOptions(options, ["plan"]);
      // Only a charge has no cost by itself.
      if (cost === undefined) checkCost(cost);
      const request = await requestOf(identity, { ...options, cost });
      return path.ask(request.costs.some((each) => each > 0) ? "charge" : "peek", request);
    },

    async reset(identity) {
      await path.forget(withCosts(await dimensions.own(identity), undefined));
    },
  };
}
