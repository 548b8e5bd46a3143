import type { Operation, Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/**
 * A store's answer: what its clock showed while it decided, in microseconds since 1970 (by that, denials are dated), and
 * one row per policy in the order asked.
 */
export interface Reply {
  readonly nowUs: number;
  readonly rows: readonly Row[];
  /** Of a lease: how many units it took, 0 if it was denied. */
  readonly taken?: number;
  /** Set where nobody was asked: an earlier answer as it stands now, and its clock a guess. */
  readonly repeated?: true;
}

/** What a store is and how it stands. */
export interface StoreFacts {
  readonly store: "redis" | "memory";
  /** `upstash` where scripts lock their keys alone; `unknown` before the first answer. */
  readonly dialect?: "redis" | "upstash" | "unknown";
  /** Such as `7.2.4`; `unknown` where it could not be had. */
  readonly version?: string;
  /** `open` while anything is suspended, `half-open` when it is due for a probe. */
  readonly breaker?: "closed" | "open" | "half-open";
  /** How many of the 16,384 hash slots are suspended, if any. */
  readonly suspendedSlots?: number;
}

/** Where the counts live. Every implementation passes the same contract suite. */
export interface Store {
  /**
   * Decides one request against all policies at once: either every policy takes the cost, or none does.
   *
   * @param keys one per policy, all with the same hash tag
   * @param cost whole units from 1; for `consume` and `peek` at most the smallest limit
   * @throws StoreError if there is no usable answer; the cost may have been taken all the same
   */
  decide(
    operation: Operation,
    keys: readonly string[],
    cost: number,
    policies: readonly CompiledPolicy[],
  ): Reply | Promise<Reply>;

  /**
   * The clock of a store that counts by one of this isolate, in microseconds since 1970: a limiter over it knows no other,
   * so that a test that moves it moves everything.
   */
  now?(): number;

  /** Forgets what was taken under these keys. */
  reset(keys: readonly string[]): void | Promise<void>;

  /** Says what the store is and how it stands, soon and whatever its state. */
  inspect?(): Promise<StoreFacts>;
}
