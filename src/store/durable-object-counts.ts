import type { KeptValues } from "./kept-values.ts";
import { withAccounts } from "./lease-accounts.ts";
import { storeOver, type SynchronousStore } from "./memory-store.ts";
import { createMemory } from "./memory.ts";

/** The parts of a Durable Object's SQLite storage that the counts use. */
export interface ObjectStorage {
  readonly kv: KeptValues;
  setAlarm(atMs: number): Promise<void>;
  deleteAll(): Promise<void>;
}

/** A stored entry. */
interface Kept {
  readonly state: unknown;
  /** The time after which no part of it counts, in microseconds since 1970. */
  readonly endsUs: number;
}

/**
 * The prefix of stored names. It rises when a model's state gets another shape, so that old and new code count
 * separately during a deployment instead of misreading each other.
 */
const LAYOUT = "1 ";

/** An alarm is a request that Cloudflare bills, so that a busy partition with a short window has one a minute. */
const MIN_ALARM_MS = 60_000;

export interface KeptCounts extends SynchronousStore {
  /** Deletes entries that no longer count. The object's alarm calls it. */
  sweep(): Promise<void>;
}

/**
 * Counts in the memory of a Durable Object by the algorithms' models, and writes changes to its storage before the
 * answer leaves it. A denial changes no count and writes no entry.
 *
 * @param now the object's clock, in microseconds since 1970
 */
export function keepCounts(storage: ObjectStorage, now: () => number): KeptCounts {
  const memory = createMemory();
  const counts = storeOver(memory, now);
  /** The time of the object's next sweep; unknown until the first write. */
  let alarmMs: number | undefined;

  function load(keys: readonly string[]): void {
    for (const key of keys) {
      if (memory.entry(key)) continue;
      const kept = storage.kv.get(LAYOUT + key) as Kept | undefined;
      if (kept) memory.keep(key, kept.state, kept.endsUs);
    }
  }

  /** Runs with the counts of these keys, and stores those that changed. */
  function counting<Answer>(keys: readonly string[], run: () => Answer): Answer {
    load(keys);
    const before = keys.map((key) => memory.entry(key));
    const answer = run();
    let endsUs = 0;
    keys.forEach((key, i) => {
      const after = memory.entry(key);
      if (!after || !hasChanged(before[i], after)) return;
      storage.kv.put(LAYOUT + key, { state: after.state, endsUs: after.endsUs } satisfies Kept);
      endsUs = Math.max(endsUs, after.endsUs);
    });
    if (endsUs > 0 && alarmMs === undefined) scheduleSweep(endsUs);
    return answer;
  }

  function scheduleSweep(endsUs: number): void {
    alarmMs = Math.max(Math.ceil(endsUs / 1000), now() / 1000 + MIN_ALARM_MS);
    // The answer leaves the object only after this write, as after every other.
    void storage.setAlarm(alarmMs);
  }

  return {
    decide: (operation, keys, ...asked) =>
      counting(operation === "lease" ? withAccounts(keys) : keys, () =>
        counts.decide(operation, keys, ...asked),
      ),
    refund: (keys, ...args) => counting(keys, () => counts.refund(keys, ...args)),
    extend: (keys, ...more) => counting(keys, () => counts.extend(keys, ...more)),

    reset(keys) {
      counts.reset(keys);
      for (const key of keys) storage.kv.delete(LAYOUT + key);
    },

    async sweep() {
      alarmMs = undefined;
      const nowUs = now();
      let lastUs = 0;
      // A copy, because the loop deletes from the storage that it lists.
      const all = Array.from(storage.kv.list());
      for (const [name, kept] of all) {
        const { endsUs } = kept as Kept;
        if (endsUs > nowUs) {
          lastUs = Math.max(lastUs, endsUs);
          continue;
        }
        storage.kv.delete(name);
      }
      // An object with an empty storage costs no money.
      if (lastUs === 0) await storage.deleteAll();
      else scheduleSweep(lastUs);
    },
  };
}

function hasChanged(before: Kept | undefined, after: Kept): boolean {
  return before?.state !== after.state || after.endsUs > before!.endsUs;
}
