import type { Evaluation, Operation, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Reply } from "./store.ts";

/** The row without the state, so that keeping a row does not keep the state alive. */
function toRow({ allowed, remaining, retryAfterUs, resetAfterUs }: Row): Row {
  return { allowed, remaining, retryAfterUs, resetAfterUs };
}

interface Entry {
  readonly state: unknown;
  readonly bytes: number;
  /** When nothing of it counts any more. */
  readonly endsUs: number;
}

/** Counts in this isolate's memory, for a caller with a clock. */
export interface Memory {
  /** As a store decides, at this moment, in microseconds since 1970. */
  decide(
    nowUs: number,
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
  ): Reply;
  reset(keys: readonly string[]): void;
}

export interface MemoryBounds {
  /** The most keys it holds; beyond that, the least recently used go first. Range: from 1. Default: `10_000`. */
  readonly maxEntries?: number;
  /**
   * The most memory it uses, in bytes, approximately; beyond that, the least recently used keys go first. Range: from 1.
   * Default: `2 ** 24` (16 MiB).
   */
  readonly maxBytes?: number;
}

/** How many moments a log distinguishes: 128 keep it exact to 1/63 of the window, and each one takes 16 bytes. */
const MAX_MOMENTS = 128;

/** What an entry takes besides its numbers and the characters of its key, measured in V8. */
const ENTRY_BYTES = 300;

/**
 * A sliding window log distinguishes 128 moments; beyond that, some units count longer, by at most 1/63 of the window. A
 * key that was dropped because memory was full starts again from zero.
 */
export function createMemory({
  maxEntries = 10_000,
  maxBytes = 2 ** 24,
}: MemoryBounds = {}): Memory {
  /** The least recently used first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function evaluate(
    key: string,
    nowUs: number,
    operation: Operation,
    cost: number,
    { implementation, limit, parameters }: CompiledPolicy,
  ): Evaluation<unknown> {
    const { state } = entries.get(key) ?? {};
    const request = { nowUs, operation, cost, limit, parameters, maxMoments: MAX_MOMENTS };
    if (cost <= limit || operation === "charge") return implementation.model(state, request);
    // The models compute the wait for a cost that fits at some time.
    const look = implementation.model(state, { ...request, operation: "peek", cost: 1 });
    return { ...look, allowed: false, retryAfterUs: Infinity };
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
   * Drops entries that no longer count, then the least recently used. A sixteenth at once, because a Map iterates over
   * every deleted entry before it finds its first live one.
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
    decide(nowUs, operation, keys, costs, policies) {
      const ask = (i: number, asked: Operation, cost: number): Row => {
        const operation = cost === 0 ? "peek" : asked;
        const evaluation = evaluate(keys[i]!, nowUs, operation, cost, policies[i]!);
        const { state, resetAfterUs } = evaluation;
        if (state !== undefined) keep(keys[i]!, state, nowUs + resetAfterUs);
        return toRow(evaluation);
      };
      const reply =
        operation === "lease"
          ? lease(nowUs, costs[0]!, policies, ask)
          : { nowUs, rows: decide(operation, costs, policies, ask) };
      makeRoom(nowUs);
      return reply;
    },

    reset(keys) {
      for (const key of keys) remove(key);
    },
  };
}

/** Asks one policy, by its index, and keeps what it took. */
type Ask = (i: number, asked: Operation, cost: number) => Row;

/** As `lua/decide.lua` does: first all policies are asked, then those take that may. */
function decide(
  operation: Operation,
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
  ask: Ask,
): Row[] {
  const consumes = operation === "consume";
  const asked = consumes && policies.length > 1 ? "peek" : operation;
  const rows = policies.map(({ role }, i) => {
    if (role !== "denials") return ask(i, asked, costs[i]!);
    const row = consumes && costs[i]! > 0 ? ask(i, "charge", costs[i]!) : ask(i, "peek", 1);
    return { ...row, allowed: row.retryAfterUs === 0 };
  });
  if (asked === operation) return rows;
  const denies = rows.map(({ allowed }, i) => !allowed && policies[i]!.role !== "advisory");
  const denied = denies.includes(true);
  return rows.map((row, i) => {
    if (policies[i]!.role === "denials") {
      // By its key: a caller may count one policy twice.
      const others = denies.some(
        (each, other) => each && policies[other]!.key !== policies[i]!.key,
      );
      if (!others) return row;
      const { remaining, retryAfterUs, resetAfterUs } = ask(i, "charge", 1);
      return { allowed: row.allowed, remaining, retryAfterUs, resetAfterUs };
    }
    return denied || !row.allowed || costs[i] === 0 ? row : ask(i, operation, costs[i]!);
  });
}

/** As `lua/lease.lua` does. */
function lease(
  nowUs: number,
  wanted: number,
  policies: readonly CompiledPolicy[],
  ask: Ask,
): Reply {
  // One policy decides alone, whatever its role.
  const isAdvisory = (i: number) => policies.length > 1 && policies[i]!.role === "advisory";
  const asked = policies.map((_, i) => ask(i, "peek", 1));
  // A policy without room has nothing remaining.
  const left = asked.map(({ remaining }, i) => (isAdvisory(i) ? wanted : remaining));
  const taken = Math.min(wanted, ...left);
  const rows = asked.map((row, i) => {
    const units = isAdvisory(i) ? Math.min(taken, row.remaining) : taken;
    return units > 0 ? ask(i, "charge", units) : row;
  });
  return { nowUs, rows, taken };
}

const lessSixteenth = (count: number) => count - Math.floor(count / 16);

/** The bytes of a state's lists; ENTRY_BYTES includes its few other numbers. */
function bytesOf(state: unknown): number {
  const { counts = [] } = state as { counts?: readonly number[] };
  return 8 * (Array.isArray(state) ? state : counts).length;
}
