import { createDecision, type Decision } from "../decision/decision.ts";
import type { Reason } from "../decision/outcome.ts";
import { createDenialCache } from "../denials/denial-cache.ts";
import { createRedisClocks } from "../denials/redis-clocks.ts";
import type { Sharing } from "../denials/shared-denials.ts";
import { createSingleFlight } from "../denials/single-flight.ts";
import { StoreError } from "../errors/errors.ts";
import { partitionKey } from "../partition/partition-key.ts";
import type { Operation, Reply, Store } from "../store/store.ts";
import { type CostOptions, costOf } from "./cost.ts";
import { createFallback } from "./fallback.ts";
import type { LimiterSettings } from "./settings.ts";

/** What every operation of a limiter is made of. */
export interface DecisionPath {
  /** Decides a request: by what the isolate knows, then by the store, then by the verdicts on failure. */
  limit(identity: string, options?: CostOptions): Promise<Decision>;
  /** Decides without what the isolate knows. */
  ask(operation: Operation, partition: string, cost: number): Promise<Decision>;
  /** The denial of a cost that no policy can ever admit; `undefined` of any other. */
  neverFits(partition: string, cost: number): Decision | undefined;
  /** Forgets what was counted and what is known, here and in the store. */
  forget(partition: string): Promise<void>;
}

export function createDecisionPath(store: Store, settings: LimiterSettings): DecisionPath {
  const { policies, prefix, now, headers: headerOptions } = settings;
  const denials = createDenialCache(settings.maxDenials);
  const flights = createSingleFlight();
  const clocks = createRedisClocks();
  const sharing = settings.sharedDenials?.share(settings, clocks, denials);
  const clock = store.now && (() => store.now!());
  const fallback = createFallback(policies, settings.onFailure, clock);
  const smallestLimit = Math.min(...policies.map(({ limit }) => limit));
  const ends = policies.map(({ key }) => `}:${key}`);

  const keysOf = (partition: string) => ends.map((end) => `${prefix}:{${partition}${end}`);

  async function limit(identity: string, options?: CostOptions): Promise<Decision> {
    const cost = costOf(options);
    const key = partitionKey(identity);
    const partition = typeof key === "string" ? key : await key;
    const never = neverFits(partition, cost);
    if (never) return never;
    const operation = cost === 0 ? "peek" : "consume";
    const arrivedAt = now();
    for (let at = arrivedAt; ; at = now()) {
      const known = denials.find(partition, cost, at);
      if (known.state === "denied") return answer("cached-denial", known);
      if (known.state === "expired") {
        // A client that was never denied does not wait for the shared cache.
        const shared = known.denied ? sharing : undefined;
        return flights.run(partition, cost, at, () =>
          askForAll(operation, partition, cost, shared),
        );
      }
      const answered = flights.join(partition, cost, arrivedAt, at);
      if (!answered) return ask(operation, partition, cost);
      await answered;
    }
  }

  /** Asks for all that wait, and for the isolates that share their denials, unless one of them has just asked. */
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
    const sentAt = now();
    try {
      const reply = await store.decide(operation, keys, cost, policies);
      const receivedAt = now();
      const { now: shown, rows, repeated } = reply;
      fallback.note(partition, reply, sentAt, receivedAt);
      if (
        settings.maxDenials > 0 &&
        cost > 0 &&
        rows.some(({ retryAfterUs }) => retryAfterUs > 0)
      ) {
        const answeredAt = repeated ? sentAt : clocks.note(partition, shown, sentAt, receivedAt);
        const learntCost = operation === "charge" ? 1 : cost;
        denials.learn(partition, learntCost, answeredAt, reply, publish !== undefined);
      }
      publish?.(partition, cost, shown, rows);
      return rows.every(({ allowed }) => allowed)
        ? answer("allowed", reply)
        : answer("limited", reply);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { now: shown, rows, status } = fallback.decide(operation, partition, keys, cost);
      return createDecision({
        reason: "store-unavailable",
        status,
        policies,
        now: shown,
        rows,
        headerOptions,
        error,
      });
    }
  }

  function answer(reason: Reason, { now: shown, rows }: Reply): Decision {
    return createDecision({
      reason,
      status: reason === "allowed" ? 200 : 429,
      policies,
      now: shown,
      rows,
      headerOptions,
    });
  }

  /** A cost above a limit is denied by arithmetic alone; what the isolate knows of the rest is told along. */
  function neverFits(partition: string, cost: number): Decision | undefined {
    if (cost <= smallestLimit) return undefined;
    const found = denials.find(partition, cost, now());
    const known = found.state === "denied" ? found : undefined;
    return answer("cost-exceeds-limit", {
      now: known?.now ?? fallback.now(),
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
    neverFits,

    async forget(partition) {
      const keys = keysOf(partition);
      fallback.forget(partition, keys, now());
      await store.reset(keys);
      // Only now: an answer to a request that overtook the reset would bring the old denial back.
      denials.forget(partition, now());
      fallback.forget(partition, keys, now());
      sharing?.forget(partition);
    },
  };
}
