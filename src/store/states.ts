import type { AnyModel, Evaluation, Operation, Pass, Row, Slot } from "../algorithms/model.ts";
import type { CountedPolicy } from "../policy/compile.ts";
import type { AskPolicy } from "./decide-together.ts";

/** The row without the state, so that keeping a row does not keep the state alive. */
function toRow({ allowed, remaining, retryAfterUs, resetAfterUs }: Row): Row {
  return { allowed, remaining, retryAfterUs, resetAfterUs };
}

/** The entry of a key. */
export interface StateEntry {
  readonly state: unknown;
  readonly bytes: number;
  /** The time after which no part of it counts. */
  readonly endsUs: number;
}

/** The states of keys in this isolate's memory, of a bounded size; the caller gives the time, in microseconds since 1970. */
export interface States {
  /** Runs a decision that asks policies one by one. */
  transact<Result>(
    nowUs: number,
    keys: readonly string[],
    policies: readonly CountedPolicy[],
    run: (ask: AskPolicy) => Result,
    slot?: Slot,
  ): Result;
  entry(key: string): StateEntry | undefined;
  /** Replaces the state of a key. */
  keep(key: string, state: unknown, endsUs: number): void;
  reset(keys: readonly string[]): void;
}

export interface MemoryBounds {
  /** The most keys it holds; beyond that, the least recently used ones go first. Range: from 1. Default: `10_000`. */
  readonly maxEntries?: number;
  /**
   * The most memory it uses, in bytes, approximately; beyond that, the least recently used keys go first. Range: from 1.
   * Default: `2 ** 24` (16 MiB).
   */
  readonly maxBytes?: number;
}

/** The moments that a log distinguishes: 128 keep it exact to 1/63 of the window, and each one takes 24 bytes. */
const MAX_MOMENTS = 128;

/** The size of a hold's slot, with an id of 36 characters, measured in V8. */
const SLOT_BYTES = 140;

/** The size of an entry besides its numbers and the characters of its key, measured in V8. */
const ENTRY_BYTES = 300;

/**
 * A key that was dropped because memory was full starts again from zero.
 *
 * @param modelOf the model by which a policy counts
 */
export function createStates(
  modelOf: (policy: CountedPolicy) => AnyModel,
  { maxEntries = 10_000, maxBytes = 2 ** 24 }: MemoryBounds = {},
): States {
  /** The least recently used come first. */
  const entries = new Map<string, StateEntry>();
  let bytes = 0;

  function evaluate(
    key: string,
    nowUs: number,
    operation: Pass | Operation,
    cost: number,
    policy: CountedPolicy,
    slot: Slot | undefined,
  ): Evaluation<unknown> {
    const { limit, parameters } = policy;
    const { state } = entries.get(key) ?? {};
    const request = { nowUs, operation, cost, limit, parameters, slot, maxMoments: MAX_MOMENTS };
    const model = modelOf(policy);
    if (cost <= limit || operation === "charge") return model(state, request);
    // The models only compute waits of costs that fit at some time.
    const look = model(state, { ...request, operation: "peek", cost: 1 });
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
   * Drops entries that no longer count, then the least recently used ones: a sixteenth at once, because a Map iterates
   * over every deleted entry before it finds its first live one.
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

  function transact<Result>(
    nowUs: number,
    keys: readonly string[],
    policies: readonly CountedPolicy[],
    run: (ask: AskPolicy) => Result,
    slot?: Slot,
  ): Result {
    const result = run((i, asked, cost) => {
      const operation = cost > 0 ? asked : asked === "consume" || asked === "ask" ? "ask" : "peek";
      const evaluation = evaluate(keys[i]!, nowUs, operation, cost, policies[i]!, slot);
      const { state, resetAfterUs } = evaluation;
      if (state !== undefined) {
        const found = entries.get(keys[i]!);
        const { keptUntilUs = 0 } = state as LongerKept;
        const endsUs = Math.max(nowUs + resetAfterUs, keptUntilUs);
        // An unchanged state keeps its end, even if another policy reads it.
        keep(keys[i]!, state, found?.state === state ? Math.max(found.endsUs, endsUs) : endsUs);
      }
      return toRow(evaluation);
    });
    makeRoom(nowUs);
    return result;
  }

  return {
    transact,
    entry: (key) => entries.get(key),
    keep,

    reset(keys) {
      for (const key of keys) remove(key);
    },
  };
}

const lessSixteenth = (count: number) => count - Math.floor(count / 16);

/** A state that says something after its last unit has come back: where the next window begins. */
interface LongerKept {
  readonly keptUntilUs?: number;
}

type Lists = Readonly<Partial<Record<"counts" | "runs" | "slots", readonly unknown[]>>>;

/** The bytes of a state's lists; ENTRY_BYTES includes its few other numbers. */
function bytesOf(state: unknown): number {
  const { counts = [], runs = counts, slots = [] } = state as Lists;
  return 8 * runs.length + SLOT_BYTES * slots.length;
}
