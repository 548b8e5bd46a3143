import type { Algorithm } from "../../../src/policy/policy.ts";

/** The value under a key: the state of the algorithm's model, and when the key expires by the server's clock. */
export interface Entry {
  readonly algorithm: Algorithm;
  readonly state: unknown;
  /** Microseconds. */
  readonly expiresAt: number;
}

/** The state that one run of the script, or an eviction, found where it wrote. */
interface Write {
  readonly execution: number | undefined;
  readonly before: Map<string, Entry | undefined>;
}

/** The keys of a Redis, and its last writes, which a failover may take back. */
export interface Keyspace {
  read(key: string, clock: number): Entry | undefined;
  /** `entry` undefined deletes. Writes of the same execution are taken back together. */
  write(key: string, entry: Entry | undefined, execution?: number): void;
  /** Loses the last writes; returns the keys they wrote and the executions they were part of. */
  rollBack(writes: number): {
    readonly keys: ReadonlySet<string>;
    readonly executions: ReadonlySet<number>;
  };
  clear(): void;
  /** Deletes expired keys, as Redis does it from time to time. */
  expire(clock: number): void;
}

/** More than a replica may lag behind. */
const JOURNAL = 40;

export function createKeyspace(): Keyspace {
  const entries = new Map<string, Entry>();
  let journal: Write[] = [];

  function put(key: string, entry: Entry | undefined): void {
    if (entry) entries.set(key, entry);
    else entries.delete(key);
  }

  return {
    read(key, clock) {
      const entry = entries.get(key);
      if (entry && clock >= entry.expiresAt) entries.delete(key);
      return entries.get(key);
    },

    write(key, entry, execution) {
      let last = journal.at(-1);
      if (!last || execution === undefined || last.execution !== execution) {
        last = { execution, before: new Map() };
        journal.push(last);
        if (journal.length > JOURNAL) journal.shift();
      }
      if (!last.before.has(key)) last.before.set(key, entries.get(key));
      put(key, entry);
    },

    rollBack(writes) {
      const undone = journal.splice(-writes).toReversed();
      for (const { before } of undone) {
        for (const [key, entry] of before) put(key, entry);
      }
      return {
        keys: new Set(undone.flatMap(({ before }) => [...before.keys()])),
        executions: new Set(undone.flatMap(({ execution }) => execution ?? [])),
      };
    },

    clear() {
      entries.clear();
      journal = [];
    },

    expire(clock) {
      for (const [key, { expiresAt }] of entries) {
        if (clock >= expiresAt) entries.delete(key);
      }
    },
  };
}
