import { StoreError, TidegateError } from "../errors.ts";
import { partitionKey } from "../partition/partition-key.ts";
import { memoryStore } from "../store/memory-store.ts";
import type { Operation, Row, Store } from "../store/store.ts";
import { createDecision, type Decision, type Reason } from "./decision.ts";
import { createDenialCache } from "./denial-cache.ts";
import { createFallback } from "./failure.ts";
import { createProbes } from "./probes.ts";
import { createRedisClocks } from "./redis-clocks.ts";
import type { LimiterSettings } from "./settings.ts";
import type { Sharing } from "./shared-denials.ts";

export interface CostOptions {
  /** Quota units of this request: a whole number from 0; 0 takes nothing. Default 1. */
  readonly cost?: number;
}

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

/** The path of a request through the limiter: what the isolate knows, then the store, then the verdict on failure. */
export function buildLimiter(store: Store, settings: LimiterSettings): Limiter {
  const { policies, prefix, now, headers: headerOptions } = settings;
  const denials = createDenialCache(settings.maxDenials);
  const probes = createProbes();
  const clocks = createRedisClocks();
  const sharing = settings.sharedDenials?.share(settings, clocks, denials);
  const memory = memoryStore();
  const decideWithoutStore = createFallback(policies, settings.onFailure, memory);
  const smallestLimit = Math.min(...policies.map(({ limit }) => limit));
  const ends = policies.map(({ name }) => `}:${name}`);

  const keysOf = (partition: string) => ends.map((end) => `${prefix}:{${partition}${end}`);

  async function limit(identity: string, options?: CostOptions): Promise<Decision> {
    const cost = costOf(options);
    const key = partitionKey(identity);
    const partition = typeof key === "string" ? key : await key;
    if (cost > smallestLimit) return neverFits(partition, cost);
    const operation = cost === 0 ? "peek" : "consume";
    const arrivedAt = now();
    for (let at = arrivedAt; ; at = now()) {
      const denied = denials.find(partition, cost, at);
      if (denied) return answer("cached-denial", denied);
      if (denied === null) {
        return probes.lead(partition, cost, at, () => probe(operation, partition, cost));
      }
      const answered = probes.follow(partition, cost, arrivedAt, at);
      if (!answered) return ask(operation, partition, cost);
      await answered;
    }
  }

  /** Asks for all who follow; and for all isolates that share their denials, unless one of them has asked just now. */
  async function probe(operation: Operation, partition: string, cost: number): Promise<Decision> {
    const denied = sharing && (await sharing.look(partition, cost));
    return denied
      ? answer("cached-denial", denied)
      : ask(operation, partition, cost, sharing?.tell);
  }

  async function ask(
    operation: Operation,
    partition: string,
    cost: number,
    tell?: Sharing["tell"],
  ): Promise<Decision> {
    const keys = keysOf(partition);
    const sentAt = now();
    try {
      const { now: shown, rows, repeated } = await store.decide(operation, keys, cost, policies);
      if (settings.maxDenials > 0 && cost > 0 && rows.some(({ retryAfter }) => retryAfter > 0)) {
        const answeredAt = repeated ? sentAt : clocks.note(partition, shown, sentAt, now());
        denials.learn(partition, operation === "charge" ? 1 : cost, answeredAt, rows);
      }
      tell?.(partition, cost, shown, rows);
      return rows.every(({ allowed }) => allowed)
        ? answer("allowed", rows)
        : answer("limited", rows);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { rows, status } = decideWithoutStore(operation, keys, cost);
      return createDecision({
        reason: "store-unavailable",
        status,
        policies,
        rows,
        headerOptions,
        error,
      });
    }
  }

  function answer(reason: Reason, rows: readonly Row[]): Decision {
    return createDecision({
      reason,
      status: reason === "allowed" ? 200 : 429,
      policies,
      rows,
      headerOptions,
    });
  }

  /** A cost above a limit is denied by arithmetic alone; what the isolate knows of the rest is told along. */
  function neverFits(partition: string, cost: number): Decision {
    const known = denials.find(partition, cost, now());
    return answer(
      "cost-exceeds-limit",
      policies.map(({ limit: most }, i) => ({
        allowed: cost <= most,
        remaining: known?.[i]?.remaining ?? most,
        retryAfter: cost <= most ? 0 : Infinity,
        resetAfter: known?.[i]?.resetAfter ?? 0,
      })),
    );
  }

  return {
    limit,

    async peek(identity, options) {
      const cost = costOf(options);
      const partition = await partitionKey(identity);
      return cost > smallestLimit ? neverFits(partition, cost) : ask("peek", partition, cost);
    },

    async charge(identity, cost) {
      checkCost(cost);
      const partition = await partitionKey(identity);
      return ask(cost === 0 ? "peek" : "charge", partition, cost);
    },

    async reset(identity) {
      const partition = await partitionKey(identity);
      const keys = keysOf(partition);
      await memory.reset(keys);
      await store.reset(keys);
      // Only now: an answer to a request that overtook the reset would bring the old denial back.
      denials.forget(partition, now());
      sharing?.forget(partition);
    },
  };
}

function costOf(options: CostOptions | undefined): number {
  const cost = options?.cost === undefined ? 1 : options.cost;
  checkCost(cost);
  return cost;
}

function checkCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 0) {
    throw new TidegateError(
      "ERR_COST",
      `The cost must be a whole number of units from 0, not ${Object(cost) === cost ? "an object" : String(cost)}.`,
    );
  }
}
