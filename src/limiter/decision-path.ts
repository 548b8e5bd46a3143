import type { Operation } from "../algorithms/model.ts";
import { createDecision, type Decision } from "../decision/decision.ts";
import type { Reason } from "../decision/outcome.ts";
import { createDenialCache } from "../denials/denial-cache.ts";
import { createRedisClocks } from "../denials/redis-clocks.ts";
import type { Sharing } from "../denials/shared-denials.ts";
import { createSingleFlight } from "../denials/single-flight.ts";
import { StoreError } from "../errors/errors.ts";
import { partitionKey } from "../partition/partition-key.ts";
import type { Memory } from "../store/memory.ts";
import type { Reply, Store } from "../store/store.ts";
import { type CostOptions, costOf } from "./cost.ts";
import { createFallback } from "./fallback.ts";
import type { LimiterSettings } from "./settings.ts";

/** The steps that every operation of a limiter is built from. */
export interface DecisionPath {
  /** Decides a request: from a known denial, else by the store, else, if that fails, by each policy's `onFailure`. */
  limit(identity: string, options?: CostOptions): Promise<Decision>;
  /** Asks the store, even if a denial is known. */
  ask(operation: Operation, partition: string, cost: number): Promise<Decision>;
  /** The denial of a cost above the smallest limit, which can never pass; `undefined` for any other cost. */
  exceedsLimit(partition: string, cost: number): Decision | undefined;
  /** Forgets the counts in the store, and everything that the isolate knows about them. */
  forget(partition: string): Promise<void>;
}

/** @param memory for local counts. Default: a new one */
export function createDecisionPath(
  store: Store,
  settings: LimiterSettings,
  memory?: Memory,
): DecisionPath {
  const { policies, prefix, now, random, headers: headerOptions } = settings;
  const denials = createDenialCache(settings.maxDenials);
  const flights = createSingleFlight();
  const clocks = createRedisClocks();
  const sharing = settings.sharedDenials?.share(settings, clocks, denials);
  const clock = store.now && (() => store.now!());
  const fallback = createFallback(policies, settings.onFailure, clock, memory);
  const smallestLimit = Math.min(...policies.map(({ limit }) => limit));
  const ends = policies.map(({ key }) => `}:${key}`);

  const keysOf = (partition: string) => ends.map((end) => `${prefix}:{${partition}${end}`);

  async function limit(identity: string, options?: CostOptions): Promise<Decision> {
    const cost = costOf(options);
    const key = partitionKey(identity);
    const partition = typeof key === "string" ? key : await key;
    const never = exceedsLimit(partition, cost);
    if (never) return never;
    const operation = cost === 0 ? "peek" : "consume";
    const arrivedAtMs = now();
    for (let nowMs = arrivedAtMs; ; nowMs = now()) {
      const known = denials.find(partition, cost, nowMs);
      if (known.state === "denied") return answer("cached-denial", known);
      if (known.state === "expired") {
        // A client that was never denied does not wait for the shared cache.
        const shared = known.denied ? sharing : undefined;
        return flights.run(partition, cost, nowMs, () =>
          askForAll(operation, partition, cost, shared),
        );
      }
      const answered = flights.join(partition, cost, arrivedAtMs, nowMs);
      if (!answered) return ask(operation, partition, cost);
      await answered;
    }
  }

  /**
   * Asks the store on behalf of all requests that wait. With `shared`, it first looks for the answer of another isolate,
   * and otherwise publishes its own.
   */
  async function askForAll(
    operation: Operation,
    partition: string,
    cost: number,
    shared: Sharing | undefined,
  ): Promise<Decision> {
    const denied = shared && (await shared.read(partition, cost));
    return denied
      ? answer("cached-denial", denied)
      : ask(operation, partition, cost, shared?.publish);
  }

  async function ask(
    operation: Operation,
    partition: string,
    cost: number,
    publish?: Sharing["publish"],
  ): Promise<Decision> {
    const keys = keysOf(partition);
    const sentAtMs = now();
    try {
      const reply = await store.decide(operation, keys, cost, policies);
      const receivedAtMs = now();
      const { nowUs, rows, repeated } = reply;
      fallback.note(partition, reply, sentAtMs, receivedAtMs);
      if (
        settings.maxDenials > 0 &&
        cost > 0 &&
        rows.some(({ retryAfterUs }) => retryAfterUs > 0)
      ) {
        const decidedAtMs = repeated
          ? sentAtMs
          : clocks.note(partition, nowUs, sentAtMs, receivedAtMs);
        const learntCost = operation === "charge" ? 1 : cost;
        denials.learn(partition, learntCost, decidedAtMs, reply, publish !== undefined);
      }
      publish?.(partition, cost, nowUs, rows);
      return rows.every(({ allowed }) => allowed)
        ? answer("allowed", reply)
        : answer("limited", reply);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { nowUs, rows, status } = fallback.decide(operation, partition, keys, cost);
      return createDecision({
        reason: "store-unavailable",
        status,
        policies,
        nowUs,
        rows,
        headerOptions,
        random,
        error,
      });
    }
  }

  function answer(reason: Reason, { nowUs, rows }: Reply): Decision {
    return createDecision({
      reason,
      status: reason === "allowed" ? 200 : 429,
      policies,
      nowUs,
      rows,
      headerOptions,
      random,
    });
  }

  /**
   * Denies without asking the store. Rows have the numbers of a known denial, else those of unused policies.
   */
  function exceedsLimit(partition: string, cost: number): Decision | undefined {
    if (cost <= smallestLimit) return undefined;
    const found = denials.find(partition, cost, now());
    const known = found.state === "denied" ? found : undefined;
    return answer("cost-exceeds-limit", {
      nowUs: known?.nowUs ?? fallback.now(),
      rows: policies.map(({ limit: most }, i) => ({
        allowed: cost <= most,
        remaining: known?.rows[i]?.remaining ?? most,
        retryAfterUs: cost <= most ? 0 : Infinity,
        resetAfterUs: known?.rows[i]?.resetAfterUs ?? 0,
      })),
    });
  }

  return {
    limit,
    ask,
    exceedsLimit,

    async forget(partition) {
      const keys = keysOf(partition);
      fallback.forget(partition, keys, now());
      await store.reset(keys);
      // Only after the reset: the answer to an earlier request could otherwise bring the old denial back.
      denials.forget(partition, now());
      fallback.forget(partition, keys, now());
      sharing?.forget(partition);
    },
  };
}
