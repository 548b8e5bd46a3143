import type { Evaluation } from "../algorithms/model.ts";
import type { Operation, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Store } from "./store.ts";

/** The row alone: whoever keeps it must not keep the state with it. */
function toRow({ allowed, remaining, retryAfterUs, resetAfterUs }: Row): Row {
  return { allowed, remaining, retryAfterUs, resetAfterUs };
}

interface Entry {
  readonly state: unknown;
  readonly bytes: number;
  /** When nothing of it counts any more. */
  readonly endsUs: number;
}

export interface MemoryStoreOptions {
  /** How many keys it holds at most; beyond that, the one unused for longest goes first. Default 10,000. */
  readonly maxEntries?: number;
  /**
   * How many bytes of memory it holds at most, about; beyond that, the key unused for longest goes first. Default
   * 16 MiB.
   */
  readonly maxBytes?: number;
  /** The clock, in microseconds since 1970. Default: the isolate's. */
  readonly now?: () => number;
}

/** How many moments a log tells apart: with more, it is no more exact than a window's 63rd, and 16 bytes larger each. */
const MAX_MOMENTS = 128;

/** What an entry takes besides its numbers and the characters of its key, as measured. */
const ENTRY_BYTES = 300;

/**
 * Counts in this isolate's memory: for a first run without Redis, for tests, and as the fallback in an outage. Each
 * isolate counts alone, and forgets with the isolate.
 *
 * A sliding window's log tells 128 moments apart; where more would have to be, some units count for longer, by at most a
 * 63rd of the window. A key that goes because memory is full counts from nothing when it comes back.
 *
 * @example
 * createLimiter({ store: memoryStore(), policies: [fixedWindow({ limit: 100, window: "1m" })] })
 */
export function memoryStore({
  maxEntries = 10_000,
  maxBytes = 2 ** 24,
  now = () => Date.now() * 1000,
}: MemoryStoreOptions = {}): Store {
  /** The one unused for longest first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function evaluate(
    key: string,
    nowUs: number,
    operation: Operation,
    cost: number,
    { implementation, limit, parameters }: CompiledPolicy,
  ): Evaluation<unknown> {
    const request = { nowUs, operation, cost, limit, parameters, maxMoments: MAX_MOMENTS };
    return implementation.model(entries.get(key)?.state, request);
  }

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  function keep(key: string, state: unknown, endsUs: number): void {
    remove(key);
    const entry = { state, bytes: ENTRY_BYTES + key.length + bytesOf(state), endsUs };
    entries.set(key, entry);
    bytes += entry.bytes;
  }

  /**
   * Where there is too much, what is over goes, then what was unused for longest. A sixteenth at once, because a Map passes
   * over all that was deleted at its beginning before it finds its first entry.
   */
  function makeRoom(nowUs: number): void {
    if (entries.size <= maxEntries && bytes <= maxBytes) return;
    for (const [key, { endsUs }] of entries) if (endsUs <= nowUs) remove(key);
    if (entries.size <= maxEntries && bytes <= maxBytes) return;
    for (const key of entries.keys()) {
      const enough = entries.size <= lessSixteenth(maxEntries) && bytes <= lessSixteenth(maxBytes);
      if (enough || entries.size === 1) break;
      remove(key);
    }
  }

  return {
    now,

    decide(operation, keys, cost, policies) {
      const nowUs = now();
      const evaluateAll = (asked: Operation, units: number) =>
        policies.map((policy, i) => evaluate(keys[i]!, nowUs, asked, units, policy));
      const lease = operation === "lease";
      const asked = lease || (operation === "consume" && policies.length > 1) ? "peek" : operation;
      let outcomes = evaluateAll(asked, lease ? 1 : cost);
      // Of a policy without room nothing remains.
      const taken = lease ? Math.min(cost, ...outcomes.map(({ remaining }) => remaining)) : cost;
      if (asked !== operation && outcomes.every(({ allowed }) => allowed)) {
        outcomes = evaluateAll(lease ? "charge" : operation, taken);
      }
      outcomes.forEach(({ state, resetAfterUs }, i) => {
        if (state !== undefined) keep(keys[i]!, state, nowUs + resetAfterUs);
      });
      makeRoom(nowUs);
      return { nowUs, rows: outcomes.map(toRow), ...(lease && { taken }) };
    },

    reset(keys) {
      for (const key of keys) remove(key);
    },
  };
}

const lessSixteenth = (count: number) => count - Math.floor(count / 16);

/** Of the lists that a state is made of; its few other numbers are part of what any entry takes. */
function bytesOf(state: unknown): number {
  const { counts = [] } = state as { counts?: readonly number[] };
  return 8 * (Array.isArray(state) ? state : counts).length;
}
