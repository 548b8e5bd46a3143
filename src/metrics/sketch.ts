import { keyHint } from "./key-hint.ts";

/** A partition, and how often it was counted: at least `count` times, and at most `count + error` times. */
export interface Heavy {
  readonly policy: string;
  readonly identity: string;
  /** The last characters of its key. */
  readonly hint: string | undefined;
  readonly count: number;
  readonly error: number;
}

/** The partitions that are counted most, in bounded memory. */
export interface Sketch {
  add(policy: string, identity: string, headers?: Headers): void;
  /** The partitions with the most certain counts, most first, and begins anew. */
  take(most: number): readonly Heavy[];
}

/** The partitions that are counted. */
export interface Sketches {
  readonly denied: Sketch;
  /** Those with little left of a limit. */
  readonly near: Sketch;
}

/** Identities differ at their ends: the last part of an address, or a digest. */
const HASHED_CHARACTERS = 24;

/**
 * Counts by the Space-Saving algorithm (Metwally et al., 2005): of N counted, each partition that was counted more than N/size
 * times is in it, and no count is above the truth by more than N/size. What `take` says is below the truth by that much at
 * most, and never above it. Adding a partition that is in it allocates nothing.
 */
export function createSketch(size = 64): Sketch {
  const hashes = new Int32Array(size);
  const counts = new Float64Array(size);
  const errors = new Float64Array(size);
  const policies: string[] = [];
  const identities: string[] = [];
  const hints: (string | undefined)[] = [];

  function put(slot: number, hash: number, policy: string, identity: string, error: number): void {
    hashes[slot] = hash;
    counts[slot] = error + 1;
    errors[slot] = error;
    policies[slot] = policy;
    identities[slot] = identity;
  }

  return {
    add(policy, identity, headers) {
      const hash = hashOf(identity);
      const used = policies.length;
      let least = 0;
      for (let i = 0; i < used; i++) {
        if (hashes[i] === hash && identities[i] === identity && policies[i] === policy) {
          counts[i]!++;
          return;
        }
        if (counts[i]! < counts[least]!) least = i;
      }
      const slot = used < size ? used : least;
      hints[slot] = headers && keyHint(identity, headers);
      if (used < size) put(used, hash, policy, identity, 0);
      else put(least, hash, policy, identity, counts[least]!);
    },

    take(most) {
      const found = policies.map((policy, i) => ({
        policy,
        identity: identities[i]!,
        hint: hints[i],
        count: counts[i]! - errors[i]!,
        error: errors[i]!,
      }));
      policies.length = 0;
      identities.length = 0;
      return found.sort((a, b) => b.count - a.count).slice(0, most);
    },
  };
}

function hashOf(identity: string): number {
  const { length } = identity;
  let hash = length;
  for (let i = Math.max(0, length - HASHED_CHARACTERS); i < length; i++) {
    hash = (Math.imul(hash, 31) + identity.charCodeAt(i)) | 0;
  }
  return hash;
}
