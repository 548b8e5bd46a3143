import type { CompiledPolicy } from "../policy/compile.ts";
import type { Algorithm } from "../policy/policy.ts";
import { putLast } from "../put-last.ts";
import type { Outcome } from "./memory/algorithm.ts";
import type { Operation, Row, Store } from "./store.ts";

/** The row alone: whoever keeps it must not keep the state with it. */
function toRow({ allowed, remaining, retryAfter, resetAfter }: Row): Row {
  return { allowed, remaining, retryAfter, resetAfter };
}

interface Entry {
  readonly algorithm: Algorithm;
  readonly state: unknown;
}

export interface MemoryStoreOptions {
  /** How many keys it holds at most; beyond that, the one unused for longest goes first. Default 10,000. */
  readonly maxEntries?: number;
  /** The clock, in microseconds since 1970. Default: the isolate's. */
  readonly now?: () => number;
}

/**
 * Counts in this isolate's memory: for a first run without Redis, for tests, and as the fallback in an outage. Each
 * isolate counts alone, and forgets with the isolate.
 *
 * @example
 * createLimiter({ store: memoryStore(), policies: [fixedWindow({ limit: 100, window: "1m" })] })
 */
export function memoryStore({
  maxEntries = 10_000,
  now = () => Date.now() * 1000,
}: MemoryStoreOptions = {}): Store {
  const entries = new Map<string, Entry>();

  function evaluate(
    key: string,
    time: number,
    operation: Operation,
    cost: number,
    { algorithm, implementation, limit, parameters: [a, b] }: CompiledPolicy,
  ): Outcome<unknown> {
    const entry = entries.get(key);
    const state = entry?.algorithm === algorithm ? entry.state : undefined;
    return implementation.model(state, { now: time, operation, cost, limit, a, b });
  }

  return {
    now,

    decide(operation, keys, cost, policies) {
      const time = now();
      const evaluateAll = (asked: Operation, units: number) =>
        policies.map((policy, i) => evaluate(keys[i]!, time, asked, units, policy));
      const lease = operation === "lease";
      const asked = lease || (operation === "consume" && policies.length > 1) ? "peek" : operation;
      let outcomes = evaluateAll(asked, lease ? 1 : cost);
      // Of a policy without room nothing remains.
      const taken = lease ? Math.min(cost, ...outcomes.map(({ remaining }) => remaining)) : cost;
      if (asked !== operation && outcomes.every(({ allowed }) => allowed)) {
        outcomes = evaluateAll(lease ? "charge" : operation, taken);
      }
      policies.forEach(({ algorithm }, i) => {
        const { state } = outcomes[i]!;
        if (state !== undefined) putLast(entries, keys[i]!, { algorithm, state }, maxEntries);
      });
      return { now: time, rows: outcomes.map(toRow), ...(lease && { taken }) };
    },

    reset(keys) {
      for (const key of keys) entries.delete(key);
    },
  };
}
