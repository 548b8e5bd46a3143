import type { Decision } from "../decision/decision.ts";
import { TidegateError } from "../errors/errors.ts";
import type { Duration } from "../options/duration.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { createMemory } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import { checkCallOptions, checkCost, type Cost, type CostOptions, costsOf } from "./cost.ts";
import { createHold } from "./create-hold.ts";
import { createDecisionPath } from "./decision-path.ts";
import { compileDimensions, type Identity } from "./dimensions.ts";
import { createGiveBack } from "./give-back.ts";
import { ttlUsOf } from "./hold-ttl.ts";
import type { Hold } from "./hold.ts";
import { allParts } from "./path-parts.ts";
import { isAllowed, type PartitionedRequest, type Reservation, type Taken } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";
import { throughShards } from "./sharding.ts";

export interface LimitOptions extends CostOptions {
  /** The plan of this client: one of the limiter's `plans`. Default: the policies as they are. */
  readonly plan?: string | undefined;
}

export interface ReserveOptions extends LimitOptions {
  /**
   * How long the hold keeps its slots of `concurrency` policies if it is neither settled nor extended; at most each policy's
   * own `ttl`. Range: `"1s"` to `"24h"`. Default: the policy's `ttl`.
   */
  readonly ttl?: Duration | undefined;
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
   * As `limit()`, for a cost that is known only afterwards: takes an estimate now, and `settle()` of the hold corrects it.
   * Unlike `charge()` afterwards, it lets no concurrent request through on units that are spoken for. Policies with
   * `refundable: true` give back what was not needed.
   *
   * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`, `ERR_PLAN`, `ERR_HOLD`
   * @example
   * const hold = await limiter.reserve("user:42", { cost: { tokens: 4000 } });
   * if (!hold.allowed) return hold.response();
   * await hold.settle({ tokens: 812 });
   */
  reserve(identity: Identity, options?: ReserveOptions): Promise<Hold>;

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
  const memory = createMemory();
  const plain = createDecisionPath(store, settings, allParts(memory, settings.now));
  const isSharded = settings.policies.some(({ shards }) => shards > 1);
  const path = isSharded ? throughShards(plain, settings) : plain;
  const dimensions = compileDimensions(path, settings);
  const slotted = settings.policies.find(({ implementation }) => implementation.hasSlots);
  const settler = {
    known: settings.policies,
    path,
    giveBack: createGiveBack(store, settings, memory),
    now: settings.now,
  };

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
        if (slotted) throw needsHold(slotted);
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
      // Without a cost, limit() takes one unit; a charge of an unstated cost is a mistake.
      if (cost === undefined) checkCost(cost);
      const request = await requestOf(identity, { ...options, cost });
      return path.ask(request.costs.some((each) => each > 0) ? "charge" : "peek", request);
    },

    async reserve(identity, options) {
      checkCallOptions(options, [...CALL_OPTIONS, "ttl"]);
      const { ttl, ...others } = options ?? {};
      const slot = { id: crypto.randomUUID(), ttlUs: ttlUsOf(ttl) };
      const reservation: Reservation = { taken: [], slot };
      const request = await requestOf(identity, others);
      const decision = await path.limit({ ...request, reservation });
      const taken = reservation.taken.filter(isTaken);
      return createHold(decision, { slot, taken }, settler);
    },

    async reset(identity) {
      await path.forget(withCosts(await dimensions.own(identity), undefined));
    },
  };
}

/** Whether the answer let the request pass: of a policy with shards, another shard may have denied before. */
function isTaken({ request, reply }: Taken): boolean {
  return isAllowed({ policies: request.selection.policies, rows: reply.rows });
}

function needsHold({ name }: CompiledPolicy): TidegateError {
  return new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives slots to holds, which end: use reserve(), and settle() or release() of its hold.`,
  );
}
